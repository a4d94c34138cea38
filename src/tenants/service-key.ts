import { randomBytes } from 'node:crypto';
import type { Database } from '../backing/index.ts';

const keyBytes = 32;

/** A key that all processes of a service share; created on first use. @param name purpose of the key. */
export async function serviceKey({ pool }: Pick<Database, 'pool'>, name: string): Promise<Buffer> {
  await pool.query(`INSERT INTO service_key (name, key) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, [
    name,
    randomBytes(keyBytes),
  ]);
  const { rows } = await pool.query<{ key: Buffer }>(`SELECT key FROM service_key WHERE name = $1`, [name]);
  const [row] = rows;
  if (row === undefined) throw new Error(`the key for ${name} was not stored`);
  return row.key;
}
