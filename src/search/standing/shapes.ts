import type { TimeSlice } from '../../lib/time-slice.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TextColumn } from '../formula/to-sql.ts';
import { arrayLiteral } from './compile.ts';
import type { Compiled, Constant } from './compile.ts';
import { wordsOfQuery } from './constants.ts';

/** What makes a row a candidate for a formula: at least one of these elements in this column. */
type Tokens = Readonly<{ column: 'terms' | TextColumn; tokens: readonly string[] }>;

/** Formulas that differ only in their values, so that one statement evaluates all of them for some rows. */
export type FormulaShape = Readonly<{
  resource: Resource;
  text: string;
  /** The parameters after the tenant and the rows. */
  values: readonly string[];
}>;

type Member = Compiled & Readonly<{ id: number; needs: Tokens | null }>;

/** Groups compiled conditions by their shape. */
export async function toShapes(
  compiled: readonly (Compiled & Readonly<{ id: number }>)[],
  textOf: (constant: Constant) => string,
  slice: TimeSlice,
): Promise<readonly FormulaShape[]> {
  const shapes = new Map<string, Member[]>();
  for (const each of compiled) {
    if (slice.isOver) await slice.pause();
    const member = { ...each, needs: tokensOf(each, textOf) };
    const key = `${each.resource} ${member.needs?.column ?? ''} ${each.sql}`;
    const members = shapes.get(key);
    if (members === undefined) shapes.set(key, [member]);
    else members.push(member);
  }
  const found: FormulaShape[] = [];
  for (const members of shapes.values()) {
    if (slice.isOver) await slice.pause();
    found.push(toShape(members, textOf));
  }
  return found;
}

function tokensOf({ requirement }: Compiled, textOf: (constant: Constant) => string): Tokens | null {
  const [first] = requirement ?? [];
  if (requirement === null || first === undefined) return null;
  const { column } = first;
  const tokens: string[] = [];
  for (const part of requirement) {
    if (part.column !== column) return null;
    const own = part.column === 'terms' ? [part.token] : wordsOfQuery(textOf(part.query));
    if (own === null) return null;
    tokens.push(...own);
  }
  return { column, tokens };
}

function toShape(members: readonly Member[], textOf: (constant: Constant) => string): FormulaShape {
  const [first] = members as readonly [Member, ...Member[]];
  const { resource, sql, needs } = first;
  const plain = first.values.map((_, k) => ({ name: `a${k}`, of: (member: Member) => member.values[k] ?? '' }));
  const queries = first.constants.map((_, k) => ({
    name: `q${k}`,
    of: (member: Member) => textOf(member.constants[k] as Constant),
  }));
  const columns = [...plain, ...queries];
  const literals = [
    `{${members.map(({ id }) => id).join(',')}}`,
    ...columns.map(({ of }) => arrayLiteral(members.map(of))),
  ];
  const given = columns.map((_, k) => `, $${k + 4}::text[]`).join('');
  const typed = columns.map(({ name }) => `, ${name}${name.startsWith('q') ? `::tsquery AS ${name}` : ''}`).join('');
  const changed = `changed AS MATERIALIZED (SELECT * FROM ${resource} WHERE tenant_id = $1 AND row_id = ANY ($2::bigint[]))`;
  const standing = `standing AS MATERIALIZED (
    SELECT formula_id${typed} FROM unnest($3::int[]${given}) AS u(formula_id${columns.map(({ name }) => `, ${name}`).join('')}))`;
  const select = 'SELECT standing.formula_id AS "formulaId", changed.row_id AS "rowId"';
  if (needs === null) {
    const text = `WITH ${changed}, ${standing} ${select} FROM standing, changed WHERE (${sql})`;
    return { resource, text, values: literals };
  }
  const pairs = members.flatMap(({ id, needs: own }) => (own?.tokens ?? []).map((token) => ({ id, token })));
  const next = literals.length + 3;
  const elements = needs.column === 'terms' ? 'terms' : `tsvector_to_array(${needs.column})`;
  const text = `WITH ${changed}, ${standing}, candidate AS MATERIALIZED (
      SELECT DISTINCT t.candidate_row, k.candidate_id
      FROM (SELECT row_id AS candidate_row, unnest(${elements}) AS token FROM changed) AS t
      JOIN unnest($${next}::int[], $${next + 1}::text[]) AS k(candidate_id, token) USING (token))
    ${select} FROM candidate JOIN standing ON standing.formula_id = candidate_id
      JOIN changed ON changed.row_id = candidate_row WHERE (${sql})`;
  const ids = `{${pairs.map(({ id }) => id).join(',')}}`;
  return { resource, text, values: [...literals, ids, arrayLiteral(pairs.map(({ token }) => token))] };
}
