import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadlines } from '../../src/graphql/server/within-time.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const endless = new Promise<never>(() => {});
const timeout = { data: null, errors: [{ extensions: { code: 'timeout', max: 5_000, hint: expect.any(String) } }] };

describe('an execution', () => {
  it('that ends in time has its own result or its own fault', async () => {
    const within = createDeadlines();
    const reason = new Error('a fault');
    expect(await within({ data: { a: 1 } }, 5_000)).toEqual({ data: { a: 1 } });
    expect(await within(Promise.resolve({ data: { a: 2 } }), 5_000)).toEqual({ data: { a: 2 } });
    await expect(within(Promise.reject(reason), 5_000)).rejects.toBe(reason);
  });

  it('that does not end is answered at its time, or in the second after it', async () => {
    const within = createDeadlines();
    const settled = vi.fn<(result: unknown) => void>();
    const result = Promise.resolve(within(endless, 5_000)).then(settled);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_001);
    await result;
    expect(JSON.parse(JSON.stringify(settled.mock.calls))).toMatchObject([[timeout]]);
  });

  it('is answered on its own time, whatever began before and after it', async () => {
    const within = createDeadlines();
    const answered: string[] = [];
    const begin = (name: string, ms: number) =>
      void Promise.resolve(within(endless, ms)).then(() => answered.push(name));
    begin('long', 10_000);
    await vi.advanceTimersByTimeAsync(3_000);
    begin('short', 2_000);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(answered).toEqual(['short']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(answered).toEqual(['short', 'long']);
  });

  // What another file of this process left may set a timer meanwhile.
  it('leaves no timer behind when everything has ended', { retry: 2 }, async () => {
    const within = createDeadlines();
    await within(Promise.resolve({ data: {} }), 5_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
