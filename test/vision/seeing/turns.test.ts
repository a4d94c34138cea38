import { expect, it } from 'vitest';
import { Turns } from '../../../src/vision/seeing/turns.ts';

it('urgent work goes before what waits, never more at a time than there are places', async () => {
  const turns = new Turns(2);
  const order: string[] = [];
  let [running, most] = [0, 0];
  const work = (name: string, isUrgent: boolean) =>
    turns.run(async () => {
      most = Math.max(most, (running += 1));
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      if (name === 'b') throw new Error('fails');
    }, isUrgent);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const all = [...names.map((name) => work(name, false)), work('first', true), work('second', true)];
  const results = await Promise.allSettled(all);
  expect(order).toEqual(['a', 'b', 'first', 'second', 'c', 'd', 'e']);
  expect(most).toBe(2);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await expect(turns.run(async () => 'again', false)).resolves.toBe('again');
});
