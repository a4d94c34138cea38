import { sha256 } from '../../lib/sha256.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ImageAnalyzer } from '../../analysis/index.ts';
import { readSignature, modelOf } from './image-signature.ts';
import type { ImageSignature } from './image-signature.ts';

/** A picture that was uploaded to search with it. */
export type QueryImage = Readonly<{ hash: string; width: number; height: number; expiresAt: Date }>;

/** How long a query image is kept after it was last uploaded or used. */
const kept = "interval '24 hours'";

/** Digits of Crockford's base 32; 26 of them hold 130 bits. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 26;

/** The name of a picture, derived from the content of its file: `qh_…`. */
async function nameOf(bytes: Buffer): Promise<string> {
  const checksum = BigInt(`0x${await sha256(bytes)}`);
  const top = checksum >> BigInt(256 - length * 5);
  const places = Array.from({ length }, (_, k) => Number((top >> BigInt((length - 1 - k) * 5)) & 31n));
  return `qh_${places.map((digit) => digits[digit]).join('')}`;
}

const extend = tenantStatement(
  'query-image-extend',
  `UPDATE query_image SET expires_at = now() + ${kept}
   WHERE tenant_id = $1 AND hash = $2 AND expires_at > now() AND model IS NOT DISTINCT FROM $3
   RETURNING hash, width, height, expires_at AS "expiresAt"`,
);

const keep = tenantStatement(
  'query-image-keep',
  `INSERT INTO query_image AS q (tenant_id, hash, expires_at, width, height, checksum, pdq, pdq_quality, regions, details,
     mirrored, model, embedding, picture)
   VALUES ($1, $2, now() + ${kept}, $3, $4, decode($5, 'hex'), $6, $7, $8, $9, $10, $11, $12, $13)
   ON CONFLICT (tenant_id, hash) DO UPDATE SET expires_at = EXCLUDED.expires_at, pdq = EXCLUDED.pdq,
     pdq_quality = EXCLUDED.pdq_quality, regions = EXCLUDED.regions, details = EXCLUDED.details,
     mirrored = EXCLUDED.mirrored, model = EXCLUDED.model, embedding = EXCLUDED.embedding, picture = EXCLUDED.picture
   WHERE q.tenant_id = $1
   RETURNING hash, width, height, expires_at AS "expiresAt"`,
);

/**
 * Stores a picture to search by: the data to compare it by, and a copy of 1600 pixels. A picture that is already
 * stored is kept for longer and not analyzed again.
 *
 * @throws ElementError if it cannot be decoded; the signal's reason.
 */
export async function keepQueryImage(
  db: TenantDb,
  bytes: Buffer,
  imageAnalyzer: ImageAnalyzer,
  signal: AbortSignal,
): Promise<QueryImage> {
  const name = await nameOf(bytes);
  const known = (await db.query<QueryImage>(extend, [name, modelOf(imageAnalyzer)])).rows[0];
  if (known !== undefined) return known;
  const waiting = { owner: db.tenantId, signal };
  const { width, height, checksum, hashes, vector } = await readSignature(bytes, 'same', imageAnalyzer, waiting);
  const { pdq = null, quality = null, regions = null, details = null, mirrored = null } = hashes ?? {};
  const { bytes: picture } = await imageAnalyzer.convert({
    bytes,
    conversion: { to: 'copy' },
    isUrgent: true,
    ...waiting,
  });
  const columns = [pdq, quality, regions, details, mirrored, vector?.model ?? null, vector?.values ?? null, picture];
  const values = [name, width, height, checksum, ...columns.map(toColumn)];
  return (await db.query<QueryImage>(keep, values)).rows[0] as QueryImage;
}

function toColumn(value: Uint8Array | Int8Array | number | string | null): Buffer | number | string | null {
  return value instanceof Uint8Array || value instanceof Int8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
}

const find = tenantStatement(
  'query-image-find',
  `UPDATE query_image SET expires_at = now() + ${kept} WHERE tenant_id = $1 AND hash = $2 AND expires_at > now()
   RETURNING width, height, encode(checksum, 'hex') AS checksum, pdq, pdq_quality AS quality, regions, details, mirrored,
     model, embedding, CASE WHEN $3::boolean THEN picture END AS picture`,
);

type Row = Readonly<{ width: number; height: number; checksum: string; model: string | null; quality: number | null }> &
  Readonly<Record<'pdq' | 'regions' | 'details' | 'mirrored' | 'embedding' | 'picture', Buffer | null>>;

/** A query image as analyzed, with its pixels only if requested. */
type FoundQueryImage = ImageSignature & Readonly<{ picture: Buffer | null }>;

/**
 * The tenant's query image with this name, which this use keeps for longer. Null if there is none, or it has expired.
 */
export async function findQueryImage(
  db: TenantDb,
  name: string,
  withPicture: boolean,
): Promise<FoundQueryImage | null> {
  if (name.includes('\0')) return null;
  const row = (await db.query<Row>(find, [name, withPicture])).rows[0];
  if (row === undefined) return null;
  const { width, height, checksum, pdq, quality, regions, details, mirrored, model, embedding, picture } = row;
  const isHashed = pdq !== null && quality !== null && regions !== null && details !== null;
  return {
    width,
    height,
    checksum,
    hashes: isHashed ? { pdq, quality, regions, details, mirrored } : null,
    vector: model !== null && embedding !== null ? { model, values: new Int8Array(embedding) } : null,
    picture,
  };
}
