import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { mergeFacetChanges } from '../facet-totals.ts';
import type { Resource } from '../fields.ts';
import { mergeWordChanges } from '../words/word-totals.ts';
import { hasId, idIn } from './state.ts';

/** The id of the file that a change removed; `before` is what the record was. */
const fileIdIn: Readonly<Record<Resource, string>> = {
  image: `substr(before ->> 'checksum', 3, 32)`,
  video: `replace(before ->> 'reading', '-', '')`,
};

/** Replaces a message that may quote values of a record. */
const purgedMessage = (resource: Resource) => `the ${resource} was purged`;

const isOfOperation = (row: string, resource: Resource) =>
  `o.tenant_id = $1 AND o.id = ${row}.operation_id AND o.resource = '${resource}'`;

/** Whether a record of the tenant has the word of `w`. */
const hasWord = (resource: Resource) =>
  `EXISTS (SELECT FROM ${resource} r WHERE r.tenant_id = $1 AND r.words @@ plainto_tsquery('search_words', w.word))`;

const statements = { image: statementsOf('image'), video: statementsOf('video') };

function statementsOf(resource: Resource) {
  return {
    /** Rows of the records that have, or had, the ids `$2`. */
    find: tenantStatement(
      `rows-of-${resource}s-to-purge`,
      `SELECT row_id AS row, ${resource}_id AS id FROM ${resource} WHERE tenant_id = $1 AND ${resource}_id = ANY($2::text[])
       UNION
       SELECT row_id, ${idIn(resource)} FROM ${resource}_change
       WHERE tenant_id = $1 AND ${hasId} AND ${idIn(resource)} = ANY($2::text[])`,
    ),
    remove: tenantStatement(
      `purge-${resource}s`,
      `DELETE FROM ${resource} WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])`,
    ),
    /**
     * Deletes or overwrites what is kept about the rows `$2`, including their removal just now, and about the ids
     * `$3`: history, attachments, changes of dry runs, error messages of operations, and words that no other record
     * has. Returns the files that the records had, by the ids that previews are stored under.
     */
    forget: tenantStatement(
      `forget-history-of-${resource}s`,
      `WITH changes AS (
         DELETE FROM ${resource}_change WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])
         RETURNING before
       ), attachments AS (
         DELETE FROM record_attachment WHERE tenant_id = $1 AND resource = '${resource}' AND row_id = ANY($2::bigint[])
       ), notified AS (
         DELETE FROM dry_change d USING operation o
         WHERE d.tenant_id = $1 AND d.ref = ANY($3::text[]) AND ${isOfOperation('d', resource)}
       ), errors AS (
         UPDATE operation_error e SET message = '${purgedMessage(resource)}' FROM operation o
         WHERE e.tenant_id = $1 AND e.ref = ANY($3::text[]) AND ${isOfOperation('e', resource)}
       ), analysis_errors AS (
         UPDATE operation_analysis_error e SET message = '${purgedMessage(resource)}' FROM operation o
         WHERE e.tenant_id = $1 AND e.ref = ANY($3::text[]) AND ${isOfOperation('e', resource)}
       ), former_words AS (
         SELECT DISTINCT unnest(tsvector_to_array(to_tsvector('search_words', search_normalize(left(v #>> '{}', 40000))))) AS word
         FROM changes, jsonb_path_query(before, '$.** ? (@.type() == "string")') AS v
       ), words AS (
         DELETE FROM search_word w USING former_words f
         WHERE w.tenant_id = $1 AND w.word = f.word AND NOT ${hasWord('image')} AND NOT ${hasWord('video')}
       )
       SELECT DISTINCT file FROM (SELECT ${fileIdIn[resource]} AS file FROM changes) AS f WHERE file IS NOT NULL`,
    ),
  };
}

/** The result of a purge. */
type Purged = Readonly<{ ids: ReadonlySet<string>; files: readonly string[] }>;

/**
 * Removes records and their history permanently: nothing about them can be read, undone or restored. This includes
 * deleted records whose history is still kept.
 *
 * @returns the ids for which anything was found, and the ids of their files, which may have previews.
 */
export async function purgeRecords(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  ids: readonly string[],
): Promise<Purged> {
  const { find, remove, forget } = statements[resource];
  const { rows: found } = await db.query<{ row: number; id: string }>(find, [ids], client);
  const rows = found.map(({ row }) => row);
  await db.query(remove, [rows], client);
  while (await mergeFacetChanges(client, db.tenantId));
  while (await mergeWordChanges(client, db.tenantId));
  const { rows: files } = await db.query<{ file: string }>(forget, [rows, ids], client);
  return { ids: new Set(found.map(({ id }) => id)), files: files.map(({ file }) => file) };
}
