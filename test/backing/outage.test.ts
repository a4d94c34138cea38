import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOutage } from '../../src/backing/postgres/outage.ts';
import type { Logger } from '../../src/observability/logger.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An outage that logs into a list; the database answers its checks as `answers` says. */
function logged(answers: () => boolean) {
  const log: string[] = [];
  const note = (_: unknown, message: string) => log.push(message);
  const logger = { info: note, warn: note } as unknown as Logger;
  const ask = () => (answers() ? Promise.resolve() : Promise.reject(new Error('away')));
  return { log, outage: createOutage(ask, logger) };
}

const isOver = 'the database is back';
const begins = 'the database is unavailable; failed requests are counted until it is back';

describe('an unavailable database', () => {
  it('is logged once, and once more when it answers', async () => {
    let isBack = false;
    const { log, outage } = logged(() => isBack);
    for (let n = 0; n < 3; n += 1) outage.meet(new Error('away'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(log).toEqual([begins]);
    isBack = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(log).toEqual([begins, isOver]);
  });

  it('that answers but fails requests, as with a full disk, is not back until a second passes without one', async () => {
    const { log, outage } = logged(() => true);
    for (let n = 0; n < 20; n += 1) {
      outage.meet(new Error('no space left on device'));
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(log).toEqual([begins]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(log).toEqual([begins, isOver]);
  });
});
