/**
 * Runs `work` now, and again after each pause of `everyMs`; runs never overlap. The returned function stops it: it
 * aborts the signal that runs receive, and waits for the current run.
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout;
  let running: Promise<void>;
  const run = () => {
    running = work(stopping.signal)
      .catch(onError)
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(run, everyMs);
      });
  };
  run();
  return () => {
    stopping.abort();
    clearTimeout(timer);
    return running;
  };
}
