import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RoundRobin } from '../../src/lib/round-robin.ts';

test('owners take turns, and the items of one come in their order', () => {
  const queue = new RoundRobin<string, number>();
  for (const item of [1, 2, 3]) queue.add('busy', item);
  queue.add('quiet', 10);
  expect(queue.owner).toBe('busy');
  const taken = [];
  while (!queue.isEmpty) taken.push(queue.take());
  expect(taken).toEqual([1, 10, 2, 3]);
  expect(queue.take()).toBeUndefined();
  expect(queue.owner).toBeUndefined();
});

test('between two items of an owner every other one that waits is served exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }), (owners) => {
      const queue = new RoundRobin<number, number>();
      for (const owner of owners) queue.add(owner, owner);
      const left = new Map<number, number>();
      for (const owner of owners) left.set(owner, (left.get(owner) ?? 0) + 1);
      while (!queue.isEmpty) {
        const round = [...left.keys()].filter((owner) => (left.get(owner) ?? 0) > 0);
        const served = round.map(() => queue.take());
        expect(served.toSorted()).toEqual(round.toSorted());
        for (const owner of round) left.set(owner, (left.get(owner) ?? 0) - 1);
      }
      expect([...left.values()].every((count) => count === 0)).toBe(true);
    }),
  );
});
