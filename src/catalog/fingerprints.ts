import type { Queryable } from '../backing/index.ts';
import { hexOf } from '../lib/hex-of.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';

/**
 * The data that a picture is compared by before it is analyzed: PDQ, hashes of parts, and details for a close
 * comparison.
 */
export type Fingerprint = Readonly<{ pdq: Uint8Array; quality: number; regions: Uint8Array; details: Uint8Array }>;

/** The fingerprint of a picture that was just stored, with its SHA-256 in hexadecimal. */
type StoredFingerprint = Readonly<{ id: string; checksum: string; fingerprint: Fingerprint }>;

const keep = tenantStatement(
  'keep-prints',
  `WITH written AS (
     SELECT i.row_id, r.pdq, r.quality, r.regions, r.details
     FROM json_to_recordset($2::json) AS r(id text, checksum text, pdq text, quality smallint, regions text, details text)
     JOIN image i ON i.tenant_id = $1 AND i.image_id = r.id AND i.checksum = decode(r.checksum, 'hex')
   ), prints AS (
     INSERT INTO image_fingerprint (row_id, tenant_id, pdq, pdq_quality, regions)
     SELECT row_id, $1, decode(pdq, 'hex'), quality, decode(regions, 'hex') FROM written
     ON CONFLICT (row_id) DO UPDATE
       SET pdq = EXCLUDED.pdq, pdq_quality = EXCLUDED.pdq_quality, regions = EXCLUDED.regions
   )
   INSERT INTO image_details (row_id, tenant_id, details) SELECT row_id, $1, decode(details, 'hex') FROM written
   ON CONFLICT (row_id) DO UPDATE SET details = EXCLUDED.details`,
);

/**
 * Stores the fingerprints of pictures in the transaction that stores the pictures, so that later ones are compared
 * with them.
 */
export async function keepFingerprints(
  db: TenantDb,
  client: Queryable,
  fingerprints: readonly StoredFingerprint[],
): Promise<void> {
  if (fingerprints.length === 0) return;
  const rows = fingerprints.map(({ id, checksum, fingerprint: { pdq, quality, regions, details } }) => ({
    id,
    checksum,
    pdq: hexOf(pdq),
    quality,
    regions: hexOf(regions),
    details: hexOf(details),
  }));
  await db.query(keep, [JSON.stringify(rows)], client);
}

const flag = tenantStatement(
  'flag-duplicates',
  `UPDATE image i SET duplicate_of = r.other
   FROM json_to_recordset($2::json) AS r(id text, checksum text, other text)
   WHERE i.tenant_id = $1 AND i.image_id = r.id AND i.checksum = decode(r.checksum, 'hex')
   RETURNING i.image_id AS id, i.duplicate_of AS other`,
);

/** An image that shows the same picture as another. */
export type Flag = Readonly<{ id: string; checksum: string; other: string }>;

/**
 * For images that were just stored, records which other image shows the same picture. Returns the flags that were
 * stored.
 */
export async function flagDuplicates(
  db: TenantDb,
  client: Queryable,
  flags: readonly Flag[],
): Promise<readonly Omit<Flag, 'checksum'>[]> {
  if (flags.length === 0) return [];
  return (await db.query<Omit<Flag, 'checksum'>>(flag, [JSON.stringify(flags)], client)).rows;
}
