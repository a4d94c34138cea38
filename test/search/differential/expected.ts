import type { Row } from './records.ts';

/**
 * What a list, its count and its facets must be, worked out from plain rows: nothing here is the service's code.
 */

type Key = string | number | null;

/** By bytes, as PostgreSQL compares texts in the collation C. */
function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const { compare: compareNaturally } = new Intl.Collator('und', { numeric: true });

function keyOf(row: Row, sortBy: string): Key {
  switch (sortBy) {
    case '':
      return row.created_at;
    case 'image_id':
      return row.id;
    case 'date':
      return row.date?.[1] ?? null;
    case 'aspect_ratio':
      return row.width / row.height;
    default:
      return (row[sortBy as 'title'] as string | undefined) ?? null;
  }
}

/** Ids in order: missing values last in both directions, ties by id. */
export function sorted(rows: readonly Row[], sortBy: string, order: 'asc' | 'desc'): string[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Row, b: Row): number => {
    const [left, right] = [keyOf(a, sortBy), keyOf(b, sortBy)];
    if (left === null && right === null) return compareKeys(a.id, b.id);
    if (left === null || right === null) return left === null ? 1 : -1;
    const naturally = sortBy === 'image_id' || typeof left === 'number' ? 0 : compareNaturally(left, String(right));
    return sign * (naturally || compareKeys(left, right)) || compareKeys(a.id, b.id);
  };
  return rows.toSorted(compare).map(({ id }) => id);
}

export type Counted = Readonly<{ value: string | boolean | null; count: number }>;

/** The values of a field and how many rows have each, the most frequent first. */
export function facetOf(rows: readonly Row[], name: string): Counted[] {
  const counts = new Map<string | boolean | null, number>();
  for (const row of rows) {
    for (const value of valuesOf(row, name)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const all = [...counts].map(([value, count]) => ({ value, count }));
  return all.toSorted((a, b) => b.count - a.count || compareValues(a.value, b.value)).slice(0, 100);
}

function compareValues(a: Counted['value'], b: Counted['value']): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === 'boolean' ? Number(a) - Number(b) : compareKeys(a, String(b));
}

function valuesOf(row: Row, name: string): (string | boolean | null)[] {
  if (name === 'orientation') {
    const { width, height } = row;
    if (width / height >= 2) return ['panorama'];
    if (Math.max(width, height) / Math.min(width, height) <= 1.05) return ['square'];
    return [width > height ? 'landscape' : 'portrait'];
  }
  const value = row[name as 'city' | 'keywords' | 'nsfw'] ?? null;
  if (Array.isArray(value)) return value.length === 0 ? [null] : value;
  return [value === '' ? null : value];
}
