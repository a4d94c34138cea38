import { afterEach, describe, expect, it } from 'vitest';
import { beginAnswer, endAnswer } from '../../../src/observability/metrics/index.ts';
import { RequestsFirst } from '../../../src/analysis/process/requests-first.ts';

describe('what runs in the background', () => {
  let isBusy = true;
  const reported: boolean[] = [];
  const first = new RequestsFirst(
    () => isBusy,
    (areAnswered) => reported.push(areAnswered),
  );
  const last = () => reported.at(-1);
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
    const { length } = reported;
    beginAnswer();
    await new Promise((resolve) => setTimeout(resolve, 200));
    endAnswer();
    expect(reported).toHaveLength(length);
  });
});
