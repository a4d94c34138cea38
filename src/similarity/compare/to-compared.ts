import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { UnknownReference } from '../term.ts';
import type { Term, TermReference } from '../term.ts';
import type { Compared, Picture, TenantIndex } from './comparison.ts';
import type { Closer } from '../groups/find-duplicates.ts';
import type { LoadedReferences } from '../references/load-references.ts';
import { indexedRows } from '../index/indexed-rows.ts';
import { referenceOf } from '../references/image-signature.ts';
import type { IndexedFingerprint } from '../index/similarity-index.ts';
import { readCloser, readSomeFingerprints } from '../index/stored-fingerprints.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';

/**
 * Prepares a reference to be compared with the index of a resource.
 *
 * @throws UnknownReference if there is nothing to compare it by.
 */
export async function toCompared(
  db: TenantDb,
  tenantIndex: TenantIndex,
  { resource, term, reference }: Readonly<{ resource: Resource; term: Term; reference: TermReference }>,
  loaded: LoadedReferences,
): Promise<Compared> {
  const { isNegative, value } = reference;
  const nothing = { isNegative, rowId: null, pictures: [], text: null, kind: 'image' } as const;
  if (loaded.kind === 'text') {
    const { text, vector } = loaded;
    // Only vectors of the same model as the pictures can be compared with theirs.
    if (vector === null || vector.model !== tenantIndex.model?.name) return { ...nothing, kind: 'text', text };
    return { ...nothing, kind: 'text', pictures: [{ vector: vector.values, reference: null }] };
  }
  const isAlike = term.operator.startsWith('~');
  const all = await picturesOf(db, tenantIndex, { resource, isAlike }, loaded);
  const pictures = all.filter((picture) => (isAlike ? picture.vector : picture.reference) !== null);
  if (pictures.length === 0) {
    const problem = resource === 'image' && loaded.kind === 'record' ? `Image '${value}'` : `'${value}'`;
    const hint = loaded.kind === 'picture' ? anotherModel[resource] : notAnalyzed[resource];
    throw new UnknownReference(reference, `${problem} cannot be compared`, hint);
  }
  // In a search for videos, an image is no record to be left out.
  const isOwn = loaded.kind === 'video' || resource === 'image';
  return { ...nothing, rowId: isOwn ? loaded.rowId : null, pictures };
}

const anotherModel: Readonly<Record<Resource, string>> = {
  image: 'Its embedding comes from a different model than those of the images in the catalog.',
  video: 'Its embedding comes from a different model than those of the videos in the catalog.',
};
const notAnalyzed: Readonly<Record<Resource, string>> = {
  image: 'It can be compared after its analysis.',
  video: 'It can be compared after its analysis by the model of the videos.',
};

async function picturesOf(
  db: TenantDb,
  { index, model }: TenantIndex,
  { resource, isAlike }: Readonly<{ resource: Resource; isAlike: boolean }>,
  loaded: Exclude<LoadedReferences, { kind: 'text' }>,
): Promise<readonly Picture[]> {
  if (loaded.kind === 'picture') {
    const { signature, rowId } = loaded;
    // If the index has no vectors, it does not matter which model a vector comes from.
    const isComparable = model === null || signature.vector?.model === model.name;
    const own = { ...signature, vector: isComparable ? signature.vector : null };
    return [{ vector: own.vector?.values ?? null, reference: referenceOf(own, resource === 'image' ? rowId : null) }];
  }
  if (loaded.kind === 'record' && resource === 'video') return picturesOfImage(db, model, loaded.rowId);
  const rows = loaded.kind === 'video' ? loaded.frames : [loaded.rowId];
  const closer = isAlike ? new Map<number, Closer>() : await indexedRows[resource].closer(db, rows);
  await index.load(rows);
  return rows.flatMap((row) => {
    const fingerprint = index.get(row);
    return fingerprint === null ? [] : [toPicture(fingerprint, closer.get(row), row)];
  });
}

/** An image prepared to be compared with frames, with a vector of the frames' model. */
async function picturesOfImage(db: TenantDb, model: VectorModel | null, rowId: number): Promise<readonly Picture[]> {
  const closer = await readCloser(db, [rowId]);
  const fingerprints = await readSomeFingerprints(db, model, [rowId]);
  return fingerprints.map((each) => toPicture(each, closer.get(each.id), null));
}

/** @param row its row id, if it is among the pictures searched; otherwise null. */
function toPicture({ hashes, vector }: IndexedFingerprint, closer: Closer | undefined, row: number | null): Picture {
  const { checksum = null, details = null } = closer ?? {};
  return { vector, reference: hashes && { id: row, ...hashes, vector, checksum, details } };
}
