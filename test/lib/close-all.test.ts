import { expect, it } from 'vitest';
import { closeAll } from '../../src/lib/close-all.ts';

it('all are closed in order even if one fails, and the first error is thrown', async () => {
  const closed: string[] = [];
  const closing = closeAll([
    () => closed.push('first'),
    () => {
      throw new Error('at once');
    },
    async () => {
      throw new Error('later');
    },
    async () => closed.push('last'),
  ]);
  await expect(closing).rejects.toThrow('at once');
  expect(closed).toEqual(['first', 'last']);
});
