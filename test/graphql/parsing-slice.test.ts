import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { documentLength, sliceForParsing } from '../../src/graphql/server/parsing-slice.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';

const count = 10;

/** How many of ten documents that arrive at once are parsed before something else has its turn. */
async function parsedFirst(length: number): Promise<number> {
  let parsed = 0;
  const all = Array.from({ length: count }, async () => {
    await sliceForParsing(1, length);
    parsed += 1;
  });
  await nextIteration();
  const first = parsed;
  await Promise.all(all);
  expect(parsed).toBe(count);
  return first;
}

describe('documents that are new and arrive at once', () => {
  it.each([true, false])(
    'are parsed in one iteration of the event loop each, if they are long (several tenants: %j)',
    async (isShared) => {
      if (isShared) for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
      expect(await parsedFirst(10_000)).toBeLessThanOrEqual(2);
    },
  );

  it('are not delayed if they are short', async () => {
    for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
    expect(await parsedFirst(500)).toBe(count);
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
