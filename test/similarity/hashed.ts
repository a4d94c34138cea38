import { createHash } from 'node:crypto';
import { tenantIdOf } from '../operations/support.ts';
import type { Client, SharedWorld } from '../support/world.ts';

/** A picture by its hash alone: how many bits of the base hash are flipped, and how much there is to see. */
export type Hashed = Readonly<{ id: string; hash: Uint8Array; quality?: number; file?: string; country?: string }>;

/** 32 bytes that look like any picture's. */
export function hashOf(seed: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(seed).digest());
}

/** A hash with its first bits flipped, or those from another bit on. */
export function flipped(hash: Uint8Array, bits: number, from = 0): Uint8Array {
  const copy = Uint8Array.from(hash);
  for (let bit = from; bit < from + bits; bit += 1) {
    copy[(bit >> 3) % 32] = (copy[(bit >> 3) % 32] as number) ^ (1 << (bit & 7));
  }
  return copy;
}

const insert = `
  WITH given AS (SELECT * FROM json_to_recordset($2::json) AS g(n int, id text, pdq text, quality int, file text, country text)),
  added AS (
    INSERT INTO image (tenant_id, image_id, country, keywords, categories, collections, width, height, lang, format,
                       byte_size, checksum)
    SELECT $1, id, country, '{}', '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256(file::bytea) FROM given ORDER BY n
    RETURNING row_id, image_id)
  INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions)
  SELECT row_id, $1, decode(pdq, 'hex'), quality, decode(repeat('5a', 160), 'hex')
  FROM added JOIN given ON id = image_id`;

/** A statement of tens of thousands takes longer than one may, where other tests run beside it. */
const perStatement = 2_000;

/** Puts records with these hashes into a client's catalog, as if their pictures had been analyzed. */
export async function addHashed(world: SharedWorld, client: Client, pictures: readonly Hashed[]): Promise<void> {
  const { pool } = world.backing.database;
  await insertHashed(pool, await tenantIdOf(world, client), pictures);
}

/** The same for a tenant of a database. */
export async function insertHashed(
  database: Readonly<{ query: (text: string, values: unknown[]) => Promise<unknown> }>,
  tenantId: number,
  pictures: readonly Hashed[],
): Promise<void> {
  const given = pictures.map(({ id, hash, quality = 80, file = id, country = 'es' }, n) => ({
    n,
    id,
    pdq: Buffer.from(hash).toString('hex'),
    quality,
    file,
    country,
  }));
  for (let at = 0; at < given.length; at += perStatement) {
    await database.query(insert, [tenantId, JSON.stringify(given.slice(at, at + perStatement))]);
  }
}
