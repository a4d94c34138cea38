import { colorFamilies, findColor, findFormulaField } from '../../catalog/index.ts';
import type { FormulaField } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { withoutField } from './facets.ts';
import type { FacetMode } from './facets.ts';
import { createParameters, statementOf, whereOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';

/** The number of records whose date starts in a year; null for those without a date. */
export type YearCount = Readonly<{ year: number | null; count: number }>;
/** The number of records of a color family. */
export type ColorCount = Readonly<{ name: string; count: number }>;

/** Maximum number of years in one reply, latest first. */
const maxYears = 2_000;

/** Counts the records of each year, latest first. */
export async function countYears(db: TenantDb, searchQuery: SearchQuery, mode: FacetMode): Promise<YearCount[]> {
  const asked = mode === 'disjunctive' ? await withoutField(searchQuery, fieldOf('date')) : searchQuery;
  const { values, parameter } = createParameters();
  const text = `SELECT extract(year FROM date_start)::int AS year, count(*) AS count FROM ${asked.resource}
    WHERE ${whereOf(asked, parameter)} GROUP BY 1 ORDER BY 1 DESC NULLS LAST LIMIT ${parameter(maxYears)}`;
  const { rows } = await db.query<YearCount & Record<string, unknown>>(statementOf(asked, text), values);
  return rows;
}

const shades = colorFamilies.flatMap((name) => (findColor(name)?.shades ?? []).map((shade) => ({ name, shade })));

/** For each color family, counts the records that `color:` finds, most frequent first; empty families are left out. */
export async function countColors(db: TenantDb, searchQuery: SearchQuery, mode: FacetMode): Promise<ColorCount[]> {
  const asked = mode === 'disjunctive' ? await withoutField(searchQuery, fieldOf('color')) : searchQuery;
  const { values, parameter } = createParameters();
  const families = parameter(shades.map(({ name }) => name));
  const text = `SELECT family AS name, count(DISTINCT row_id) AS count
    FROM ${asked.resource}
    CROSS JOIN LATERAL jsonb_array_elements(colors) AS share
    JOIN unnest(${families}::text[], ${parameter(shades.map(({ shade }) => shade))}::text[]) AS f (family, shade)
      ON f.shade = share->>'name'
    WHERE ${whereOf(asked, parameter)} GROUP BY 1 ORDER BY 2 DESC, 1`;
  const { rows } = await db.query<ColorCount & Record<string, unknown>>(statementOf(asked, text), values);
  return rows;
}

function fieldOf(name: string): FormulaField {
  const field = findFormulaField(name);
  if (field === null) throw new Error(`no field '${name}'`);
  return field;
}
