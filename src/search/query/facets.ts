import pLimit from 'p-limit';
import { formulaFields, totalsOfFacet, totalsOfValues } from '../../catalog/index.ts';
import type { FormulaField, Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/index.ts';
import { leavesOf } from '../formula/tree.ts';
import { createParameters, withCondition, statementOf, whereOf } from './search-query.ts';
import type { Parameters, SearchQuery } from './search-query.ts';

/** `disjunctive`: each facet is counted without the conditions on its own field. */
export const facetModes = ['conjunctive', 'disjunctive'] as const;
export type FacetMode = (typeof facetModes)[number];

/** A value and how many records have it; null for those that have none. */
export type FacetValue = Readonly<{ value: string | boolean | null; count: number }>;
export type Facet = Readonly<{ name: string; values: readonly FacetValue[] }>;

/** Maximum number of values of one facet. */
export const maxValues = 100;
/** Facets of one request that are counted at the same time. */
const parallel = 4;

const facets = new Map(formulaFields.filter(({ facet }) => facet).map((field) => [field.name, field]));

/** Returns the valid values of `facets` for a resource. */
export function facetsOf(resource: Resource): readonly string[] {
  return [...facets.values()].filter(({ sql }) => sql[resource] !== undefined).map(({ name }) => name);
}

/** Returns the values of each facet over all matching records, most frequent first. */
export async function countFacets(
  db: TenantDb,
  searchQuery: SearchQuery,
  names: readonly string[],
  mode: FacetMode,
): Promise<Facet[]> {
  const limit = pLimit(parallel);
  return Promise.all([...new Set(names)].map((name) => limit(() => countFacet(db, searchQuery, name, mode))));
}

/** Returns the field of a facet. @throws AppError if the resource has no such facet. */
export function facetOf(name: string, resource: Resource): FormulaField {
  const field = facets.get(name);
  if (field?.sql[resource] !== undefined) return field;
  const hint = `Facets of ${resource}s are ${facetsOf(resource).join(', ')}`;
  throw new AppError('invalid_argument', `No facet '${name}'`, { argument: 'facets', hint });
}

async function countFacet(db: TenantDb, searchQuery: SearchQuery, name: string, mode: FacetMode): Promise<Facet> {
  const field = facetOf(name, searchQuery.resource);
  const asked = mode === 'disjunctive' ? await withoutField(searchQuery, field) : searchQuery;
  const { values, parameter } = createParameters();
  // Triggers maintain the counts of all records; those of a search are computed.
  const counted =
    asked.condition === null ? totalsOfFacet(field, asked.resource) : groupedValues(asked, field, parameter);
  const text = `${counted} ORDER BY 2 DESC, 1 LIMIT ${parameter(maxValues)}`;
  const { rows } = await db.query<FacetValue & Record<string, unknown>>(statementOf(asked, text), values);
  return { name, values: rows };
}

/**
 * Returns a SELECT of the values of a field and their counts. Over all records, it only yields values that are
 * present.
 */
export function groupedValues(
  searchQuery: SearchQuery,
  field: FormulaField,
  parameter: Parameters['parameter'],
): string {
  const { condition, resource } = searchQuery;
  if (condition === null) return totalsOfValues(field, resource);
  const [source, value] = facetSource(field, field.sql[resource] ?? 'NULL');
  return `SELECT ${value} AS value, count(*) AS count FROM ${resource}${source}
    WHERE ${whereOf(searchQuery, parameter)} GROUP BY 1`;
}

/**
 * Returns SQL for what is counted: an empty text or list counts as no value, and empty elements of a list are
 * ignored.
 */
function facetSource({ kind }: FormulaField, column: string): readonly [source: string, value: string] {
  if (kind === 'list') {
    const elements = `CASE WHEN cardinality(${column}) > 0 THEN array_remove(${column}, '') ELSE ARRAY[NULL]::text[] END`;
    return [`, unnest(${elements}) AS element`, `element COLLATE "C"`];
  }
  return ['', kind === 'boolean' ? column : `NULLIF(${column}, '') COLLATE "C"`];
}

/** Returns the query without the parts of its top-level AND that test only this field. */
export async function withoutField(searchQuery: SearchQuery, field: FormulaField): Promise<SearchQuery> {
  const { condition } = searchQuery;
  if (condition === null) return searchQuery;
  const parts: readonly Condition[] = condition.kind === 'and' ? condition.items : [condition];
  const others = parts.filter((part) => !leavesOf<Test>(part).every((test) => 'field' in test && test.field === field));
  if (others.length === parts.length) return searchQuery;
  const rest: Condition | null = others.length === 0 ? null : { kind: 'and', items: others, span: condition.span };
  return withCondition(searchQuery, rest);
}
