import type { Fingerprint } from '../catalog/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { pdqDistance, unpackDetails } from '../analysis/index.ts';
import { compare, plain } from './compare/compare.ts';
import type { Match } from './compare/compare.ts';
import { findDuplicates } from './groups/find-duplicates.ts';
import type { ReferencePicture } from './groups/find-duplicates.ts';
import type { SearchIndex } from './index/search-index.ts';
import { readCloser } from './index/stored-fingerprints.ts';
import { readVerdictsOf } from './groups/stored-verdicts.ts';
import type { TenantIndexes } from './index/tenant-indexes.ts';
import { tierHolds } from './compare/tiers.ts';
import type { Thresholds } from './compare/tiers.ts';
import { judgeFor } from './groups/verdicts.ts';

/** A picture that is about to be stored: the id of its record, its SHA-256, and its fingerprint, if any. */
export type NewPicture = Readonly<{ id: string; checksum: string; fingerprint: Fingerprint | null }>;

/** A stored image of the same picture, and the evidence. */
export type SamePicture = Readonly<{ id: string; by: Match['by']; distance: number }>;

type Resemblance = Readonly<{
  /** The best match; null if there is none. */
  same: SamePicture | null;
  /** Whether the record already exists and has this very file. */
  isUnchanged: boolean;
}>;

/** The operator that decides whether a picture is already stored. */
const operator = '==';

const owners = tenantStatement(
  'owners-of-pictures',
  `SELECT row_id::text AS "rowId", image_id AS id, encode(checksum, 'hex') AS checksum FROM image
   WHERE tenant_id = $1 AND (image_id = ANY($2::text[])
     OR checksum = ANY(ARRAY(SELECT decode(hex, 'hex') FROM unnest($3::text[]) AS hex)))`,
);
const namesOf = tenantStatement(
  'names-of-images',
  'SELECT row_id::text AS "rowId", image_id AS id FROM image WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])',
);

type Owner = Readonly<{ rowId: number; id: string; checksum: string }>;

/**
 * For each picture, finds the stored image that shows the same one, as `i==` does, and applies people's verdicts.
 * Images without a hash so far are compared by their file alone.
 */
export async function findSamePictures(
  db: TenantDb,
  indexes: TenantIndexes | undefined,
  pictures: readonly NewPicture[],
  thresholds: Thresholds,
): Promise<Resemblance[]> {
  const { rows } = await db.query<Owner & { rowId: string }>(owners, [
    pictures.map(({ id }) => id),
    pictures.map(({ checksum }) => checksum),
  ]);
  const known = rows.map((row) => ({ ...row, rowId: Number(row.rowId) }));
  const findAll = async (index: SearchIndex | null) => {
    const found: Resemblance[] = [];
    for (const picture of pictures) found.push(await findOne(db, index, picture, known, thresholds));
    return found;
  };
  return indexes === undefined ? findAll(null) : indexes.searchHashes(db, findAll);
}

async function findOne(
  db: TenantDb,
  index: SearchIndex | null,
  { id, checksum, fingerprint }: NewPicture,
  known: readonly Owner[],
  thresholds: Thresholds,
): Promise<Resemblance> {
  const own = known.find((each) => each.id === id);
  const isUnchanged = own?.checksum === checksum;
  const matches = new Map<number, Match>();
  if (index !== null && fingerprint !== null) {
    const search = {
      index,
      thresholds,
      closer: (ids: readonly number[]) => readCloser(db, ids),
      sameFile: async () => [],
    };
    const found = await findDuplicates(search, toReference(own?.rowId ?? null, checksum, fingerprint), operator);
    for (const [rowId, match] of found) matches.set(rowId, match);
  }
  for (const { rowId, checksum: theirs } of known) if (theirs === checksum) matches.set(rowId, sameFile);
  if (own !== undefined) matches.delete(own.rowId);
  // A verdict applies to the record's file at that time.
  const said = own !== undefined && isUnchanged ? await readVerdictsOf(db, own.rowId) : new Map();
  const [best] = [...judgeFor(operator, matches, said)].toSorted(([a, x], [b, y]) => x.distance - y.distance || a - b);
  if (best === undefined) return { same: null, isUnchanged };
  const { rows } = await db.query<{ id: string }>(namesOf, [[best[0]]]);
  const [name] = rows; // It may have been deleted meanwhile.
  return { same: name === undefined ? null : { id: name.id, ...best[1] }, isUnchanged };
}

const sameFile: Match = { ...plain, tier: 'near', by: 'checksum', distance: 0, isVerified: true };

function toReference(id: number | null, checksum: string, { details, ...hashes }: Fingerprint): ReferencePicture {
  return { id, ...hashes, vector: null, checksum, details: unpackDetails(Buffer.from(details)) };
}

/** Finds the first of other pictures, also about to be stored, that shows the same one. */
export function findAmong(
  others: readonly NewPicture[],
  { id, checksum, fingerprint }: NewPicture,
  thresholds: Thresholds,
): SamePicture | null {
  const reference = fingerprint && toReference(null, checksum, fingerprint);
  for (const other of others) {
    if (other.id === id) continue;
    if (other.checksum === checksum) return { id: other.id, by: 'checksum', distance: 0 };
    if (reference === null || other.fingerprint === null) continue;
    if (pdqDistance(reference.pdq, other.fingerprint.pdq) > thresholds.same) continue;
    const match = compare(reference, toReference(null, other.checksum, other.fingerprint), thresholds);
    if (match !== null && tierHolds(operator, match.tier)) return { id: other.id, ...match };
  }
  return null;
}
