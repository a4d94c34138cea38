import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from '../../src/lib/turns.ts';

test('owners take turns, and the items of one come in their order', () => {
  const turns = new Turns<string, number>();
  for (const item of [1, 2, 3]) turns.add('busy', item);
  turns.add('quiet', 10);
  expect(turns.owner).toBe('busy');
  const taken = [];
  while (!turns.isEmpty) taken.push(turns.take());
  expect(taken).toEqual([1, 10, 2, 3]);
  expect(turns.take()).toBeUndefined();
  expect(turns.owner).toBeUndefined();
});

test('between two items of an owner every other one that waits is served exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }), (owners) => {
      const turns = new Turns<number, number>();
      for (const owner of owners) turns.add(owner, owner);
      const left = new Map<number, number>();
      for (const owner of owners) left.set(owner, (left.get(owner) ?? 0) + 1);
      while (!turns.isEmpty) {
        const round = [...left.keys()].filter((owner) => (left.get(owner) ?? 0) > 0);
        const served = round.map(() => turns.take());
        expect(served.toSorted()).toEqual(round.toSorted());
        for (const owner of round) left.set(owner, (left.get(owner) ?? 0) - 1);
      }
      expect([...left.values()].every((count) => count === 0)).toBe(true);
    }),
  );
});
