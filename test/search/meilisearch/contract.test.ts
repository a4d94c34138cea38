import { expect, it } from 'vitest';
import { meili, skipped } from '../../support/meilisearch.ts';

/** The suites of search and of lists once more, with Meilisearch. */
const suites = [
  () => import('../../rest/search.test.ts'),
  () => import('../../rest/listing.test.ts'),
  () => import('../words.test.ts'),
  () => import('../examples.test.ts'),
  () => import('../time-zone.test.ts'),
];

const { answeredBy, worlds } = await import('../../support/world.ts');
worlds.hasMeilisearch = true;
for (const suite of meili === null ? [] : suites) await suite();

it.skipIf(meili === null)(
  `these suites are answered by Meilisearch where it can (${meili === null ? skipped : 'Meilisearch'})`,
  () => {
    expect(answeredBy.get('results=meilisearch') ?? 0).toBeGreaterThan(20);
    expect(answeredBy.get('count=meilisearch') ?? 0).toBeGreaterThan(5);
    const reasons = [...answeredBy.keys()].flatMap((indexed) => /reason=(\w+)/.exec(indexed)?.[1] ?? []);
    expect([...new Set(reasons)].filter((reason) => !['formula', 'order'].includes(reason))).toEqual([]);
  },
);
