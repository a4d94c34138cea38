import { afterEach, describe, expect, it } from 'vitest';
import { Answers } from '../../../src/lib/answers.ts';
import { RequestsFirst } from '../../../src/analysis/process/requests-first.ts';

describe('what runs in the background', () => {
  const answers = new Answers();
  let isBusy = true;
  const reported: boolean[] = [];
  const first = new RequestsFirst(
    answers,
    () => isBusy,
    (areAnswered) => reported.push(areAnswered),
  );
  const last = () => reported.at(-1);
  afterEach(() => (isBusy = false));

  it('hears that a request is answered, though that was quick, and that none is answered any more', async () => {
    first.watch();
    expect(last()).toBe(false);
    answers.begin();
    answers.end();
    await expect.poll(last).toBe(true);
    await expect.poll(last).toBe(false);
    answers.begin();
    await expect.poll(last).toBe(true);
    answers.end();
    await expect.poll(last).toBe(false);
  });

  it('gets no message when nothing runs', async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { length } = reported;
    answers.begin();
    await new Promise((resolve) => setTimeout(resolve, 200));
    answers.end();
    expect(reported).toHaveLength(length);
  });
});
