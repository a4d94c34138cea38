import { expect, it } from 'vitest';
import { loadOnce, loadOnceEach } from '../../src/lib/load-once.ts';

it('what is loaded once is kept, also for those who ask while it is loading', async () => {
  let count = 0;
  const load = loadOnce(async () => (count += 1));
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

it('a failure is passed to all that wait for it, and the next call tries again', async () => {
  let isAway = true;
  const load = loadOnce(async () => {
    if (isAway) throw new Error('away');
    return 'here';
  });
  expect((await Promise.allSettled([load(), load()])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await load()).toBe('here');
});

it('each name is loaded by itself', async () => {
  const asked: string[] = [];
  const load = loadOnceEach(async (name: string, suffix: string) => {
    asked.push(name);
    return name + suffix;
  });
  expect([await load('a', '1'), await load('b', '1'), await load('a', '2')]).toEqual(['a1', 'b1', 'a1']);
  expect(asked).toEqual(['a', 'b']);
});
