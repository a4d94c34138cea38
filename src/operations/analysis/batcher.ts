/** Gathers what comes one by one and hands it on together, in order, one batch at a time. */
export type Batcher<T> = Readonly<{
  /** Resolves when the batch that holds it is dealt with. */
  add: (item: T) => Promise<void>;
  close: () => void;
}>;

export function createBatcher<T>(
  { results, ms }: Readonly<{ results: number; ms: number }>,
  handle: (items: readonly T[]) => Promise<void>,
): Batcher<T> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    running = running
      .then(() => handle(batch.map(({ item }) => item)))
      .then(
        () => batch.forEach(({ resolve }) => resolve()),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (waiting.length >= results) flush();
        else timer ??= setTimeout(flush, ms);
      }),
    close: () => clearTimeout(timer),
  };
}
