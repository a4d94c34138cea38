import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchBuffer } from '../../src/lib/batch-buffer.ts';

describe('a batch buffer', () => {
  const sent: (readonly number[])[] = [];
  let parcel: BatchBuffer<number>;

  beforeEach(() => {
    vi.useFakeTimers();
    sent.length = 0;
    parcel = new BatchBuffer({ items: 3, ms: 2 }, (items) => sent.push(items));
  });
  afterEach(() => vi.useRealTimers());

  it('is sent when it is full, in order', () => {
    for (const item of [1, 2, 3, 4]) parcel.add(item, false);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  it('is sent with what is the last for now, without waiting', () => {
    parcel.add(1, false);
    parcel.add(2, true);
    expect(sent).toEqual([[1, 2]]);
  });

  it('is sent soon after its first item came, however much it has room for', () => {
    parcel.add(1, false);
    vi.advanceTimersByTime(1);
    parcel.add(2, false);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([[1, 2]]);
  });

  it('is sent once', () => {
    for (const item of [1, 2, 3]) parcel.add(item, false);
    vi.advanceTimersByTime(10);
    expect(sent).toEqual([[1, 2, 3]]);
  });
});
