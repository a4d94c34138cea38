import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf, groupByOwner } from '../../../src/search/meilisearch/members.ts';
import { mergeCounts } from '../../../src/search/meilisearch/search-members.ts';
import type { MeilisearchAnswer } from '../../../src/search/meilisearch/search-members.ts';
import { runsOf } from '../../support/effort.ts';

const numRuns = runsOf('values');

const anyMembers = fc
  .uniqueArray(fc.webUrl({ validSchemes: ['http'] }), { minLength: 2, maxLength: 9 })
  .map((urls) => urls.map((name) => ({ name })));
const manyRows = Array.from({ length: 20_000 }, (_, n) => n + 1);

describe('records among members', () => {
  it('change their member only for a new one, and only those of a removed one change it', () => {
    const run = (members: { name: string }[], first: number) => {
      const [added, ...former] = members as [{ name: string }, ...{ name: string }[]];
      for (let rowId = first; rowId < first + 500; rowId += 1) {
        const [before, after] = [ownerOf(former, rowId), ownerOf(members, rowId)];
        if (after !== before) expect(after).toBe(added);
      }
    };
    fc.assert(fc.property(anyMembers, fc.integer({ min: 0, max: 2 ** 45 }), run), { numRuns });
  });

  it('have the same member however the addresses are listed', () => {
    const run = (members: { name: string }[], rowId: number) => {
      expect(ownerOf(members.toReversed(), rowId)).toBe(ownerOf(members, rowId));
    };
    fc.assert(fc.property(anyMembers, fc.integer({ min: 0, max: 2 ** 45 }), run), { numRuns });
  });

  it('are shared out evenly, to 6 per cent of a share', () => {
    const run = (members: { name: string }[]) => {
      const even = manyRows.length / members.length;
      const shares = groupByOwner(members, manyRows, (rowId) => rowId);
      // Four standard deviations of a fair draw, at most 6 per cent for three members.
      const allowed = Math.max(0.06 * even, 4 * Math.sqrt(even));
      for (const member of members) expect(Math.abs((shares.get(member)?.length ?? 0) - even)).toBeLessThan(allowed);
    };
    fc.assert(fc.property(anyMembers, run), { numRuns: numRuns / 5 });
  });
});

describe('facets of several members', () => {
  const listed = 4;
  const anyCounts = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 9 }));

  /** What a member says that lists the most frequent values only. */
  function answerOf(counts: Readonly<Record<string, number>>): MeilisearchAnswer {
    const most = Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, listed);
    const unlisted = most.length < listed ? 0 : Math.min(...most.map(([, count]) => count));
    return { rowIds: [], total: 10, facets: { color: Object.fromEntries(most) }, unlisted: { color: unlisted } };
  }

  it('have exact counts, and no value that is left out has more records than they say', () => {
    const run = (all: Record<string, number>[]) => {
      const { facets, unlisted, total } = mergeCounts(all.map(answerOf));
      expect(total).toBe(10 * all.length);
      const sumOf = (value: string) => all.reduce((sum, counts) => sum + (counts[value] ?? 0), 0);
      for (const value of 'abcdefgh') {
        const found = facets['color']?.[value];
        if (found !== undefined) expect(found).toBe(sumOf(value));
        else expect(sumOf(value)).toBeLessThanOrEqual(unlisted['color'] ?? 0);
      }
    };
    fc.assert(fc.property(fc.array(anyCounts, { minLength: 1, maxLength: 4 }), run), { numRuns: numRuns * 5 });
  });

  it('may have the names of what every object has', () => {
    const { facets } = mergeCounts([answerOf({ constructor: 2 }), answerOf({ sea: 1 })]);
    expect(facets['color']).toEqual({ constructor: 2, sea: 1 });
  });
});
