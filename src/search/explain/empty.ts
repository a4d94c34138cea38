import type { TenantDb } from '../../tenants/index.ts';
import type { Condition } from '../formula/index.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { withinStatement } from './clauses.ts';
import type { Clause } from './clauses.ts';
import { countEach } from './count-clauses.ts';

/** The clause that makes the result empty, and how many records would be found without it. */
export type Emptied = Readonly<{ clause: number; countWithout: number }>;

type Counted = Clause & Readonly<{ count: number | null }>;

/**
 * Finds the clause that makes a result empty: from the root down, the one that no record matches. If each part finds
 * records on its own, it is the one whose removal brings back the most or, failing that, the first that has no record
 * in common with those before it.
 */
export async function findEmptying(
  db: TenantDb,
  searchQuery: SearchQuery,
  clauses: readonly Counted[],
): Promise<Emptied | null> {
  const [root] = clauses;
  if (root === undefined || root.count !== 0) return null;
  let at = root;
  for (;;) {
    const parts = clauses.filter(({ parent }) => parent === at.id);
    if (parts.some(({ count }) => count === null)) return null;
    const empty = parts.filter(({ count }) => count === 0);
    if (at.kind === 'and' && empty.length === 0) return amongParts(db, searchQuery, at, parts);
    // If an OR is empty, so is each of its parts; if a NOT is empty, its part finds everything.
    const [first] = at.kind === 'and' ? empty : [];
    if (first === undefined) break;
    at = first;
  }
  return { clause: at.id, countWithout: await countWithout(db, searchQuery, clauses, at) };
}

async function amongParts(
  db: TenantDb,
  searchQuery: SearchQuery,
  at: Clause,
  parts: readonly Clause[],
): Promise<Emptied | null> {
  const join = (own: readonly Clause[]): Condition => ({
    kind: 'and',
    items: own.map(({ condition }) => condition),
    span: at.span,
  });
  const others = parts.map((part) => join(parts.filter((other) => other !== part)));
  const starts = parts.map((_, index) => join(parts.slice(0, index + 1)));
  const asked = [...others, ...starts].map((condition) => ({ condition }));
  if (withinStatement(asked).length < asked.length) return null;
  const counts = await countEach(db, searchQuery, [...others, ...starts]);
  if (counts === null) return null;
  const without = counts.slice(0, parts.length);
  const most = Math.max(...without);
  const index = most > 0 ? without.lastIndexOf(most) : counts.slice(parts.length).indexOf(0);
  const clause = parts[index];
  return clause === undefined ? null : { clause: clause.id, countWithout: without[index] ?? 0 };
}

/** Counts the records that the root finds when one of its direct parts is left out. */
async function countWithout(
  db: TenantDb,
  searchQuery: SearchQuery,
  clauses: readonly Clause[],
  { id, parent }: Clause,
): Promise<number> {
  const [root] = clauses;
  const isPart = parent === 0 && root?.kind === 'and';
  const others = clauses.filter((clause) => clause.parent === 0 && clause.id !== id);
  const items = others.map(({ condition }) => condition);
  const rest: Condition | null = isPart && root !== undefined ? { kind: 'and', items, span: root.span } : null;
  return (await countEach(db, searchQuery, [rest]))?.[0] ?? 0;
}
