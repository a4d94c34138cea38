import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import { exitCodeOf } from '../lib/exit-code.ts';
import { serviceFlags } from './service-flags.ts';

/** Message from the service process to its supervisor when the service is ready. */
export const readyMessage = 'ready';

/** Pauses before a restart, by the number of consecutive starts that ended soon. */
const pausesMs = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** Once it has run this long, the next pause is short again. */
const steadyMs = 60_000;
/** Interval at which a process started by npm checks whether npm is still running. */
const parentMs = 500;
/** Maximum starts before the first ready state, if they end by a signal. */
const maxFirstStarts = 5;

/** How a run of the service ended. */
type End = Readonly<{ code: number | null; signal: NodeJS.Signals | null; wasReady: boolean; ranMs: number }>;

/**
 * Runs the service in a child process and restarts it when it crashes: within a tenth of a second at first, then
 * after growing pauses. A service that was never ready is not restarted, because it has reported what is wrong with
 * its setup. Signals are forwarded, and this process exits the way the service does; if this process is killed, the
 * service notices that the channel between them closed, and ends.
 *
 * This file imports nothing from the service but its flags, so that the supervisor process stays small.
 */
export async function supervise({ isStartedByNpm = false } = {}): Promise<void> {
  let child: ChildProcess | null = null;
  let asked: NodeJS.Signals | null = null;
  let wake = () => {};
  const stop = (signal: NodeJS.Signals) => {
    asked = signal;
    child?.kill(signal);
    wake();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  if (isStartedByNpm) whenNpmIsGone(() => (asked === null ? stop('SIGTERM') : undefined));
  let [everReady, short] = [false, 0];
  for (;;) {
    const end = await run((started) => (child = started));
    child = null;
    everReady ||= end.wasReady;
    short = end.wasReady && end.ranMs > steadyMs ? 0 : short + 1;
    if (asked !== null || end.code === 0 || (!everReady && isHopeless(end, short))) return endAs(end);
    const pauseMs = pausesMs[Math.min(short, pausesMs.length) - 1] ?? pausesMs[0];
    say(end, `The service ended ${inWords(end)}. It restarts in ${pauseMs / 1000} s.`);
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, pauseMs);
    });
    if (asked !== null) return endAs({ ...end, code: 0 });
  }
}

/** Whether to give up on a service that was never ready: it has reported why it ended, or was killed too often. */
function isHopeless(end: End, starts: number): boolean {
  if (end.code !== null) return true;
  if (starts < maxFirstStarts) return false;
  say(end, `The service ended ${starts} times before it was ready. It is not restarted again.`);
  return true;
}

/**
 * Watches for the end of npm: `npm start` runs this process in a shell, which on a signal exits without forwarding
 * it.
 */
function whenNpmIsGone(act: () => void): void {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    act();
  }, parentMs).unref();
}

/** Runs the service until it ends, with the output of this process. */
function run(onStart: (child: ChildProcess) => void): Promise<End> {
  const program = process.argv[1] ?? '';
  const began = performance.now();
  return new Promise((resolve) => {
    let wasReady = false;
    const args = [...serviceFlags, ...process.execArgv, program, 'serve', '--no-supervise'];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A separate process group: Ctrl-C reaches only this process, which forwards it once.
      detached: process.platform !== 'win32',
    });
    onStart(child);
    const end = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ code, signal, wasReady, ranMs: performance.now() - began });
    child.on('message', (message) => (wasReady ||= message === readyMessage));
    child.once('exit', end);
    child.once('error', (error) => {
      process.stderr.write(`The service cannot be started: ${error.message}\n`);
      end(1, null);
    });
  });
}

function inWords({ code, signal }: End): string {
  return signal === null ? `with code ${code}` : `by signal ${signal}`;
}

/** Writes a log line in the format of the service's log. */
function say({ code, signal }: End, msg: string): void {
  process.stderr.write(`${JSON.stringify({ level: 50, time: Date.now(), code, signal, msg })}\n`);
}

/** Exits with the exit code of the service, or with the code that shells use for its signal. */
function endAs({ code, signal }: End): void {
  process.exit(code ?? (signal === null ? 128 : exitCodeOf(signal)));
}
