import process from 'node:process';

/** How often the time of a task is checked; a limit is exceeded by at most this much. */
const pollMs = 100;
/** A task that gets less than this fraction of a processor counts as hanging. */
const leastShare = 0.1;

type WorkLimit = Readonly<{ signal: AbortSignal; end: () => void }>;

/**
 * Aborts a task after it has worked for `maxSeconds`: once that much time has passed, and the process has had that
 * much processor time for each of the `running` tasks. On a machine that is busy with other work, a task waits for a
 * processor through no fault of its own, but it gets at most ten times as long.
 */
export function limitWork(maxSeconds: number, running: () => number): WorkLimit {
  const controller = new AbortController();
  const began = performance.now();
  let [worked, before] = [0, processorSeconds()];
  const watch = setInterval(() => {
    const now = processorSeconds();
    worked += (now - before) / Math.max(1, running());
    before = now;
    const passed = (performance.now() - began) / 1000;
    if (passed >= maxSeconds && Math.max(worked, passed * leastShare) >= maxSeconds) controller.abort();
  }, pollMs);
  return { signal: controller.signal, end: () => clearInterval(watch) };
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
