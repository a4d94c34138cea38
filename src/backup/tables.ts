import type pg from 'pg';

/**
 * Tables that archives leave out: state of running processes; browser sessions; proposals; exports, whose files are
 * deleted within a day; and the changes and indexes of fingerprints and word totals, which contain transaction
 * numbers of this server and are rebuilt by workers. Tenant leases and rates are unlogged and therefore left out,
 * too, as is the queue: it only wakes workers, which read the tables anyway.
 */
const transientTables = [
  'service_process',
  'session',
  'mcp_proposal',
  'export_file',
  'fingerprint_change',
  'frame_change',
  'fingerprint_index',
  'fingerprint_hash',
  'word_total',
  'word_change',
  'word_choice',
  '_prisma_migrations',
];

/** A table with the columns that are written. Each table comes after those it refers to. */
export type Table = Readonly<{ name: string; columns: readonly string[] }>;

const listTables = `
  SELECT c.relname AS name, array_agg(a.attname ORDER BY a.attnum)::text[] AS columns,
         ARRAY(SELECT r.relname FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
               WHERE f.conrelid = c.oid AND f.contype = 'f' AND r.oid <> c.oid)::text[] AS "refersTo"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'
    AND c.relname <> ALL($1)
  GROUP BY c.oid, c.relname ORDER BY c.relname`;

type Row = Table & Readonly<{ refersTo: readonly string[] }>;

/** The tables that an archive contains, in that order. */
export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Row>(listTables, [transientTables]);
  const known = new Map(rows.map((row) => [row.name, row]));
  const ordered: Table[] = [];
  const add = ({ name, columns, refersTo }: Row): void => {
    if (ordered.some((table) => table.name === name)) return;
    for (const other of refersTo) {
      const row = known.get(other);
      if (row !== undefined) add(row);
    }
    ordered.push({ name, columns });
  };
  rows.forEach(add);
  return ordered;
}

/** A sequence and its last value; null if it was not used yet. */
export type Sequence = Readonly<{ name: string; last: string | null }>;

/** Reads the sequences. They are not transactional: read after a snapshot was taken, they are never behind its rows. */
export async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() ORDER BY sequencename`,
  );
  return rows;
}
