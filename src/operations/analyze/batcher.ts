import { BatchBuffer } from '../../lib/batch-buffer.ts';
import type { BatchBounds } from '../../lib/batch-buffer.ts';

/** Collects items that are added one by one and passes them on in order, one batch at a time. */
type Batcher<T> = Readonly<{
  /** Resolves when the batch of the item has been handled. */
  add: (item: T) => Promise<void>;
  close: () => void;
}>;

type Waiting<T> = Readonly<{ item: T; resolve: () => void; reject: (error: unknown) => void }>;

export function createBatcher<T>(bounds: BatchBounds, handle: (items: readonly T[]) => Promise<void>): Batcher<T> {
  let running: Promise<void> = Promise.resolve();
  const buffer = new BatchBuffer<Waiting<T>>(bounds, (batch) => {
    running = running
      .then(() => handle(batch.map(({ item }) => item)))
      .then(
        () => batch.forEach(({ resolve }) => resolve()),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
  });
  return {
    add: (item) => new Promise((resolve, reject) => buffer.add({ item, resolve, reject })),
    close: () => buffer.close(),
  };
}
