import { expect, it, vi } from 'vitest';
import { runWorker } from '../../src/backing/queue/run-worker.ts';

it('a worker that neither becomes ready nor closes is replaced by the next one', async () => {
  const fail = () => Promise.reject(new Error('the queue is away'));
  const run = vi.fn<() => Promise<void>>(async () => {});
  const ready = { on: () => {}, waitUntilReady: async () => {}, run, close: async () => {} };
  const open = vi
    .fn<() => typeof ready>()
    .mockReturnValueOnce({ ...ready, waitUntilReady: fail, close: fail })
    .mockReturnValue(ready);
  const worker = runWorker({ open, retryMs: 1, onError: () => {} });
  await expect.poll(() => run.mock.calls.length).toBe(1);
  await worker.close();
});
