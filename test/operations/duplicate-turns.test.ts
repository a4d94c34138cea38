import { expect, it } from 'vitest';
import { markAnalysis } from '../../src/operations/analyze/statements.ts';
import { searchDuplicates } from '../../src/operations/duplicates/search.ts';

it('A tenant with many searches for duplicates does not keep the search of another waiting behind them', async () => {
  const begun: number[] = [];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  /** A database whose operations are lost when their turn comes. */
  const dbOf = (tenantId: number) => ({
    tenantId,
    async query(statement: unknown) {
      if (statement !== markAnalysis) return { rows: [{ elements: [{ values: { tier: 'same' } }] }] };
      begun.push(tenantId);
      await gate;
      return { rowCount: 0 };
    },
  });
  const searches = [1, 1, 1, 1, 2].map((tenantId, operationId) =>
    searchDuplicates(
      { operationId, number: 0 } as never,
      { db: dbOf(tenantId), signal: new AbortController().signal } as never,
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  open();
  await Promise.allSettled(searches);
  expect(begun).toEqual([1, 2, 1, 1, 1]);
});
