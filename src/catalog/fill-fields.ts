import { lockableFieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';
import { isLocked } from './locks.ts';

/**
 * SQL condition for filling a field: it is not locked, and it is empty or comes from an earlier analysis of the file.
 */
function isFree(name: string, property: string, type: string): string {
  const empty = type === 'list' ? `COALESCE(cardinality(i."${name}"), 0) = 0` : `i."${name}" IS NULL`;
  const free = `(${empty} OR i.provenance -> '${property}' ->> 'source' = 'file')`;
  return `(r.fill ? '${property}' AND ${free} AND ${isLocked('i', name)} IS NOT TRUE)`;
}

function fillValue(property: string, type: string): string {
  if (type === 'list') return `ARRAY(SELECT jsonb_array_elements_text(r.fill -> '${property}'))`;
  return type === 'boolean' ? `(r.fill ->> '${property}')::boolean` : `r.fill ->> '${property}'`;
}

/** SQL for the first and last day of a date, which may be a month or a year. */
function periodOf(date: string): Readonly<{ start: string; end: string }> {
  const start = `(${date} || substr('-01-01', length(${date}) - 3))::date`;
  const length = `CASE length(${date}) WHEN 4 THEN interval '1 year - 1 day' WHEN 7 THEN interval '1 month - 1 day'
                  ELSE interval '0' END`;
  return { start, end: `(${start} + ${length})::date` };
}

/**
 * Returns the assignments that fill free fields of a record `i` with values of an analysis `r`, and record where each
 * value comes from. This excludes the source and the locks.
 */
export function fillAssignments(resource: Resource): string {
  const fillable = lockableFieldsOf[resource];
  const filled = fillable.flatMap(({ name, property, type }) => {
    const free = isFree(name, property, type);
    const own = `"${name}" = CASE WHEN ${free} THEN ${fillValue(property, type)} ELSE i."${name}" END`;
    if (type !== 'date') return [own];
    const { start, end } = periodOf(fillValue(property, type));
    const period = (column: string, value: string) =>
      `${column} = CASE WHEN ${free} THEN ${value} ELSE i.${column} END`;
    return [own, period('date_start', start), period('date_end', end)];
  });
  const provenance = fillable.map(
    ({ name, property, type }) =>
      `CASE WHEN ${isFree(name, property, type)}
            THEN jsonb_build_object('${property}', r.provenance -> '${property}') ELSE '{}' END`,
  );
  return `${filled.join(', ')},
     provenance = NULLIF(COALESCE(i.provenance, '{}') || ${provenance.join(' || ')}, '{}')`;
}

/** Assignments to the columns that searches use; a column for which the analysis has no value keeps its own. */
export const analysisAssignments = [
  ['n_faces', 'nFaces', 'r."nFaces"'],
  ['ocr', 'ocr', 'r.ocr'],
  ['bw', 'bw', 'r.bw'],
  ['colors', 'colors', 'r.colors'],
  ['concepts', 'concepts', 'ARRAY(SELECT json_array_elements_text(r.concepts))'],
]
  .map(([name, property, value]) => `${name} = CASE WHEN '${property}' = ANY(r.sets) THEN ${value} ELSE i.${name} END`)
  .join(', ');

/** The types of the assigned values in the JSON of a write. */
export const analysisTypes =
  'sets text[], "nFaces" integer, ocr text, bw boolean, colors jsonb, concepts json, fill jsonb, provenance jsonb';
