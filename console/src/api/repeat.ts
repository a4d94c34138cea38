/**
 * Repeats a request until the returned function is called. Each one waits for the last: as long as requests wait for the
 * service, or for a new session, they must not pile up.
 */
export function repeat(ask: () => Promise<unknown>, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const again = async () => {
    await ask();
    if (!isOver) timer = setTimeout(() => void again(), pauseMs);
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
