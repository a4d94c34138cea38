import { describe, expect, it } from 'vitest';
import { documentLength, sliceForParsing } from '../../src/graphql/server/parsing-slice.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { endedFirst } from '../support/first-iteration.ts';

describe('documents that are new and arrive at once', () => {
  it.each([true, false])(
    'are parsed in one iteration of the event loop each, if they are long (several tenants: %j)',
    async (isShared) => {
      if (isShared) for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
      expect(await endedFirst(10, () => sliceForParsing(1, 10_000))).toBeLessThanOrEqual(2);
    },
  );

  it('are not delayed if they are short', async () => {
    for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
    expect(await endedFirst(10, () => sliceForParsing(1, 500))).toBe(10);
  });
});

it.each([
  [{ query: '{ me }' }, 6],
  [{ query: 3 }, 0],
  [{}, 0],
  [null, 0],
  [1, 0],
  [undefined, 0],
])('the document of %j has %i characters', (json, length) => {
  expect(documentLength(json)).toBe(length);
});
