import { afterEach, describe, expect, it } from 'vitest';
import { beginAnswer, endAnswer } from '../../../src/metrics/index.ts';
import { RequestsFirst } from '../../../src/vision/seeing/requests-first.ts';

describe('what runs in the background', () => {
  let isBusy = true;
  const told: boolean[] = [];
  const first = new RequestsFirst(
    () => isBusy,
    (areAnswered) => told.push(areAnswered),
  );
  const last = () => told.at(-1);
  afterEach(() => (isBusy = false));

  it('hears that a request is answered, though that was quick, and that none is answered any more', async () => {
    first.watch();
    expect(last()).toBe(false);
    beginAnswer();
    endAnswer();
    await expect.poll(last).toBe(true);
    await expect.poll(last).toBe(false);
    beginAnswer();
    await expect.poll(last).toBe(true);
    endAnswer();
    await expect.poll(last).toBe(false);
  });

  it('is told nothing when nothing runs', async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { length } = told;
    beginAnswer();
    await new Promise((resolve) => setTimeout(resolve, 200));
    endAnswer();
    expect(told).toHaveLength(length);
  });
});
