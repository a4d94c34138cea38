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

  const ask = (times: number) => {
    for (let i = 0; i < times; i += 1) {
      answers.begin();
      answers.end();
    }
  };

  it('hears that requests are answered, though they are quick, and that none is answered any more', async () => {
    isBusy = true;
    first.watch();
    expect(last()).toBe(false);
    ask(5);
    await expect.poll(last).toBe(true);
    await expect.poll(last).toBe(false);
    answers.begin();
    await expect.poll(last).toBe(true);
    answers.end();
    await expect.poll(last).toBe(false);
  });

  it('goes on at full speed beside a client that asks for its progress', async () => {
    isBusy = true;
    const { length } = reported;
    first.watch();
    for (let i = 0; i < 6; i += 1) {
      ask(1);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(reported.length).toBeGreaterThan(length + 3);
    expect(reported.slice(length)).not.toContain(true);
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
