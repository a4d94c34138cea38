import type { PoolClient } from 'pg';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { flagDuplicates, keepFingerprints } from '../../catalog/index.ts';
import type { Flag, Fingerprint } from '../../catalog/index.ts';
import { AppError, ElementError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { findAmong, findSamePictures, distancesOf } from '../../similarity/index.ts';
import type { NewPicture, SamePicture, TenantIndexes } from '../../similarity/index.ts';
import { addNotifications } from '../../notifications/index.ts';
import type { NewNotification } from '../../notifications/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Outcomes } from '../../analysis/index.ts';
import type { Fault, PreparedChunk, Ready } from '../store/prepared-chunk.ts';

/** What to do with a picture that is already stored. */
export const onDuplicates = ['keep', 'flag', 'reject'] as const;
export type OnDuplicate = (typeof onDuplicates)[number];

/** The analyzers that pictures are compared by before they are stored. */
export const fingerprintNames = ['pdq', 'localFeatures'] as const;

/** The fingerprint of a picture; null if one of its analyzers failed or did not run. Then only the file is compared. */
export function fingerprintFrom({ pdq, localFeatures }: Outcomes): Fingerprint | null {
  if (!pdq?.result || !localFeatures?.result) return null;
  return { pdq: pdq.result.hash, quality: pdq.result.quality, ...localFeatures.result };
}

/** A chunk after the policy was applied, and what to store with its records. */
export type Judged = Readonly<{ prepared: PreparedChunk; keep: (client: PoolClient) => Promise<void> }>;

type DuplicateRule = Readonly<{
  operationId: number;
  onDuplicate: OnDuplicate;
  similar?: TenantIndexes | undefined;
  logger: Logger;
  /** Pictures of earlier chunks that are not stored yet; those of this chunk are appended. */
  seen: NewPicture[];
}>;

/**
 * Checks which pictures of a chunk already exist, in the catalog or earlier in the operation, and removes or flags
 * their elements. We have the tenant's lease, so nothing else is stored in the meantime.
 */
export async function judgeDuplicates(db: TenantDb, prepared: PreparedChunk, rule: DuplicateRule): Promise<Judged> {
  if (rule.onDuplicate === 'keep') return { prepared, keep: async () => {} };
  const elements = prepared.ready.map((ready) => ({ ready, picture: toPicture(ready) }));
  const sameOf = await prepareComparison(
    db,
    elements.flatMap(({ picture }) => picture ?? []),
    rule,
  );
  const faults: Fault[] = [];
  const kept: Ready[] = [];
  const pictures: NewPicture[] = [];
  const flags: Flag[] = [];
  for (const { ready, picture } of elements) {
    const { same, isUnchanged } = picture === null ? none : await sameOf(picture);
    if (same !== null && rule.onDuplicate === 'reject' && !isUnchanged) {
      faults.push({ position: ready.position, ref: ready.write.id, error: refusal(same) });
      continue;
    }
    kept.push(ready);
    if (picture === null) continue;
    if (same !== null && rule.onDuplicate === 'flag') flags.push({ ...picture, other: same.id });
    pictures.push(picture);
    rule.seen.push(picture);
  }
  return {
    prepared: { ...prepared, ready: kept, faults: [...prepared.faults, ...faults] },
    keep: (client) => keepJudged(db, client, { pictures, flags, operationId: rule.operationId }),
  };
}

const none = { same: null, isUnchanged: false } as const;

/**
 * Compares all pictures with the catalog. The returned function also compares one with those earlier in the
 * operation.
 */
async function prepareComparison(
  db: TenantDb,
  pictures: readonly NewPicture[],
  { similar, seen, logger }: DuplicateRule,
) {
  const thresholds = await distancesOf(db);
  const found = await findSamePictures(db, similar, pictures, thresholds).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    logger.warn(
      { tenantId: db.tenantId, error: error.message },
      'similarity search is disabled: new pictures are compared only by their files',
    );
    return findSamePictures(db, undefined, pictures, thresholds);
  });
  const stored = new Map(pictures.map((picture, k) => [picture, found[k]]));
  return async (picture: NewPicture) => {
    const { same = null, isUnchanged = false } = stored.get(picture) ?? {};
    const inAll = same ?? findAmong(seen, picture, thresholds);
    await yieldToOthers();
    return { same: inAll, isUnchanged };
  };
}

type Kept = Readonly<{ pictures: readonly NewPicture[]; flags: readonly Flag[]; operationId: number }>;

/** Stores fingerprints and flags, along with the records. */
async function keepJudged(db: TenantDb, client: PoolClient, { pictures, flags, operationId }: Kept): Promise<void> {
  const fingerprints = pictures.flatMap(({ fingerprint, ...picture }) =>
    fingerprint === null ? [] : [{ ...picture, fingerprint }],
  );
  await keepFingerprints(db, client, fingerprints);
  const flagged = await flagDuplicates(
    db,
    client,
    flags.map(({ id, checksum, other }) => ({ id, checksum, other })),
  );
  const notifications = flagged.map(({ id, other }): NewNotification => ({
    kind: 'duplicate.found',
    resource: 'image',
    ref: id,
    operationId,
    data: { duplicate_of: other },
  }));
  await addNotifications(db, client, notifications);
}

/** The picture of an element; null for an element without one. */
function toPicture({ write: { id, facts }, fingerprint = null }: Ready): NewPicture | null {
  const checksum = facts?.['checksum'];
  return typeof checksum === 'string' ? { id, checksum, fingerprint } : null;
}

const ways: Readonly<Record<SamePicture['by'], string>> = {
  checksum: 'the same file',
  pixels: 'the same pixels',
  hash: 'i==',
  geometry: 'i==',
  verdict: 'a verdict',
};

function refusal({ id, by, distance }: SamePicture): ElementError {
  const how = by === 'hash' ? `${ways[by]}, ${distance} of 256 bits differ` : ways[by];
  return new ElementError('duplicate_image', `image '${id}' shows the same picture (${how})`, 'src');
}
