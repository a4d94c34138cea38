/** Runs `work` now and again after each pause of `everyMs` until stopped; runs never overlap. The result stops it, and waits for a run. */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let running: Promise<void>;
  let isStopped = false;
  const run = () => {
    running = work()
      .catch(onError)
      .then(() => {
        if (!isStopped) timer = setTimeout(run, everyMs);
      });
  };
  run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
