import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../backing/index.ts';
import type { TimeSlice } from '../../lib/time-slice.ts';
import { arrayLiteral } from './compile.ts';
import type { Constant } from './compile.ts';

/** Cached texts of word queries, which depend only on their words. */
const known = new LRUCache<string, string>({ max: 50_000 });

function keyOf({ sql, values }: Constant): string {
  return JSON.stringify([sql, ...values]);
}

/** Evaluates constants, with one statement per shape, and returns a function that looks up the text of each. */
export async function evaluateConstants(
  client: Queryable,
  constants: readonly Constant[],
  slice: TimeSlice,
): Promise<(constant: Constant) => string> {
  const found = new Map<string, string>();
  const shapes = new Map<string, Map<string, Constant>>();
  for (const constant of constants) {
    if (slice.isOver) await slice.pause();
    const key = keyOf(constant);
    const text = known.get(key);
    if (text !== undefined) {
      found.set(key, text);
      continue;
    }
    const shape = shapes.get(constant.sql) ?? new Map<string, Constant>();
    shapes.set(constant.sql, shape.set(key, constant));
  }
  for (const [sql, members] of shapes) {
    const texts = await evaluateShape(client, sql, [...members.values()]);
    for (const [k, key] of [...members.keys()].entries()) {
      const text = texts[k] ?? '';
      known.set(key, text);
      found.set(key, text);
    }
  }
  return (constant) => found.get(keyOf(constant)) ?? '';
}

async function evaluateShape(client: Queryable, sql: string, members: readonly Constant[]): Promise<string[]> {
  const width = members[0]?.values.length ?? 0;
  const columns = Array.from({ length: width }, (_, k) => `a${k}`);
  const { rows } = await client.query<{ text: string }>(
    `SELECT (${sql})::text AS text
     FROM unnest(${columns.map((_, k) => `$${k + 1}::text[]`).join(', ')})
       WITH ORDINALITY AS standing(${[...columns, 'position'].join(', ')}) ORDER BY position`,
    columns.map((_, k) => arrayLiteral(members.map(({ values }) => values[k] ?? ''))),
  );
  return rows.map(({ text }) => text);
}

/** Returns words; a matching text contains at least one of them. Null if the text of the query does not tell. */
export function wordsOfQuery(query: string): readonly string[] | null {
  if (/:\S|[!&]/.test(query.replace(/'(?:[^']|'')*'/g, ''))) return null;
  const words = [...query.matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) =>
    word.replaceAll("''", "'").replaceAll('\\\\', '\\'),
  );
  // A sequence requires all its words, so looking for one of them is enough.
  const isRow = query.includes('<') && !query.replace(/'(?:[^']|'')*'/g, '').includes('|');
  return isRow ? words.slice(0, 1) : words;
}
