import type { World } from '../support/world.ts';

/** A change as the table keeps it. */
export type Kept = Readonly<{
  action: string;
  operation_id: number | null;
  api_key_id: number | null;
  before: Readonly<Record<string, unknown>>;
}>;

/** The changes of a tenant's record, the oldest first, by the id that it has or had. */
export async function changesOf({ backing }: World, id: string, resource = 'image'): Promise<Kept[]> {
  const { rows } = await backing.database.pool.query<Kept>(
    `SELECT action, operation_id, api_key_id, before FROM ${resource}_change
     WHERE row_id IN (
       SELECT row_id FROM ${resource} WHERE ${resource}_id = $1
       UNION SELECT row_id FROM ${resource}_change WHERE before ->> '${resource}_id' = $1)
     ORDER BY id`,
    [id],
  );
  return rows;
}

/** Every column of a kind of records but those that a write always changes, by id. */
export async function allRecords({ backing }: World, resource = 'image'): Promise<Record<string, unknown>> {
  const { rows } = await backing.database.pool.query<{ id: string; row: unknown }>(
    `SELECT ${resource}_id AS id, to_jsonb(r) - 'updated_at' AS row FROM ${resource} r ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ id, row }) => [id, row]));
}

/** The rows of the tables that hang on records. */
export async function allAttached({ backing }: World, tables: readonly string[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    const { rows } = await backing.database.pool.query<{ row: unknown }>(
      `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY to_jsonb(t)::text`,
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}
