import { formulaFieldsOf } from './formula-fields.ts';
import type { FormulaField } from './formula-fields.ts';
import type { Resource } from './fields.ts';
import { statementFunction } from './statement-triggers.ts';

/**
 * The SQL in prisma/functions that counts facet values: a function for each table, and the triggers that call it. It
 * is derived from the table of fields and written by `npm run generate`.
 */
export function facetFunction(resource: Resource): string {
  // This needs no join: a value that a row keeps counts 1 and -1.
  const updated = '(SELECT 1 AS sign, * FROM changed UNION ALL SELECT -1, * FROM former) AS rows';
  const deleted = '(SELECT -1 AS sign, * FROM former WHERE tenant_id IN (SELECT id FROM tenant)) AS rows';
  const acts = {
    created: recorded(resource, '(SELECT 1 AS sign, * FROM changed) AS rows'),
    changed: recorded(resource, updated),
    deleted: `-- Records that go with their tenant are of nobody.\n    ${recorded(resource, deleted)}`,
  };
  return `-- Records how often values of facets come and go; facet_total has the sums (see src/catalog/facet-totals.ts).
-- Generated from src/catalog/fields.ts by \`npm run generate\`.
${statementFunction(resource, 'facets', acts)}`;
}

/**
 * Returns the function that recounts all records: for a field that becomes a facet when it already has values, and
 * for rows that no trigger has counted.
 */
export function facetRecountFunction(resource: Resource): string {
  return `-- Counts the values of facets of all records anew. Writes wait until the transaction has ended.
-- Generated from src/catalog/fields.ts by \`npm run generate\`.
CREATE OR REPLACE FUNCTION ${resource}_facets_recount() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "${resource}" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM facet_change WHERE resource = '${resource}';
  DELETE FROM facet_total WHERE resource = '${resource}';
  INSERT INTO facet_total (tenant_id, resource, field, digest, value, count)
  SELECT tenant_id, '${resource}', field, md5(value), value, n FROM (
${countsOf(resource, `(SELECT 1 AS sign, * FROM "${resource}") AS rows`)}
  ) AS summed;
END $$;
`;
}

const facetsOf = (resource: Resource) => formulaFieldsOf(resource).filter(({ facet }) => facet);

/**
 * Inserts one row per statement and tenant, so the counts of a batch take no more rows than those of a single record.
 */
function recorded(resource: Resource, rows: string): string {
  return `INSERT INTO facet_change (tenant_id, resource, fields, "values", counts)
    SELECT tenant_id, '${resource}', array_agg(field), array_agg(value), array_agg(n) FROM (
${countsOf(resource, rows)}
    ) AS summed GROUP BY tenant_id`;
}

/**
 * Counts each value of the rows with the sign of its row; empty elements of a list do not count. A list with elements
 * counts -1 under '', see facet-totals.ts. Unnesting parallel arrays takes half the time of joining each row with its
 * values.
 */
function countsOf(resource: Resource, rows: string): string {
  const facets = facetsOf(resource);
  const lists = facets.filter(({ kind }) => kind === 'list');
  const column = (field: FormulaField) => field.sql[resource] ?? 'NULL';
  const own = facets.map((field) => {
    if (field.kind === 'list') return `CASE WHEN cardinality(${column(field)}) > 0 THEN '' END`;
    return field.kind === 'boolean' ? `${column(field)}::text` : `NULLIF(${column(field)}, '')`;
  });
  const named = facets.map(({ name }) => `'${name}'`).join(', ');
  const signs = facets.map(({ kind }) => (kind === 'list' ? '-1' : '1')).join(', ');
  const repeated = (value: string, field: FormulaField) =>
    `array_fill(${value}, ARRAY[COALESCE(cardinality(${column(field)}), 0)])`;
  const all = (first: string, of: (field: FormulaField) => string) =>
    `unnest(${[first, ...lists.map(of)].join('\n            || ')})`;
  return `      SELECT tenant_id, field, value, sum(number)::integer AS n FROM (
        SELECT tenant_id,
          ${all(`ARRAY[${named}]`, (field) => repeated(`'${field.name}'::text`, field))} AS field,
          ${all(`ARRAY[${own.join(', ')}]`, (field) => `COALESCE(array_replace(${column(field)}, '', NULL), '{}')`)} AS value,
          sign * ${all(`ARRAY[${signs}]`, (field) => repeated('1', field))} AS number
        FROM ${rows}
      ) AS counted
      WHERE value IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(number) <> 0`;
}
