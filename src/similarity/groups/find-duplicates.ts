import { toRegionQuery, rotateHash, rotations } from '../../analysis/index.ts';
import type { Details } from '../../analysis/index.ts';
import { compare, needsCloser, verify } from '../compare/compare.ts';
import type { Match, Side } from '../compare/compare.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { Hit } from '../index/similarity-index.ts';
import { tierHolds } from '../compare/tiers.ts';
import type { DuplicateOperator, Thresholds } from '../compare/tiers.ts';

/** The picture that others are compared with. */
export type ReferencePicture = Side &
  Readonly<{
    /** Row id of its record, which is left out; null for a picture that is not a record. */
    id: number | null;
    regions: Uint8Array;
    vector: Int8Array | null;
  }>;

/** The data of candidates that is read before a close comparison. */
export type Closer = Readonly<{ checksum: string | null; details: Details | null }>;

export type DuplicateSources = Readonly<{
  index: SearchIndex;
  thresholds: Thresholds;
  /** Reads the details of some records. */
  closer: (ids: readonly number[]) => Promise<ReadonlyMap<number, Closer>>;
  /** Records that have the same file. */
  sameFile: (checksum: string) => Promise<readonly number[]>;
}>;

/** Minimum cosine of the vectors of a picture and its edits. Of those above it, only the nearest are compared. */
const vectorAtLeast = 0.5;
const vectorCandidates = 32;

/** Finds records that show the same picture, with the certainty that the operator requires. */
export async function findDuplicates(
  search: DuplicateSources,
  reference: ReferencePicture,
  operator: DuplicateOperator,
): Promise<Map<number, Match>> {
  const { index, thresholds } = search;
  const { sameFile, byHash, others } = await candidatesOf(search, reference, operator);
  const candidates = new Set([...sameFile, ...byHash.map(({ id }) => id), ...others]);
  if (reference.id !== null) candidates.delete(reference.id);
  await index.load([...candidates]);
  const isOpen = (id: number) => {
    const hashes = index.get(id)?.hashes;
    return hashes != null && needsCloser(reference, { ...hashes, details: null }, thresholds);
  };
  const closer = await search.closer([...candidates].filter(isOpen));
  const matches = new Map<number, Match>();
  for (const id of candidates) {
    const hashes = index.get(id)?.hashes;
    if (hashes === null || hashes === undefined) continue;
    const checksum = sameFile.has(id) ? reference.checksum : null;
    const found: Side = { checksum, details: null, ...hashes, ...closer.get(id) };
    const match = compare(reference, found, thresholds);
    if (match !== null && tierHolds(operator, match.tier)) matches.set(id, match);
  }
  return matches;
}

/**
 * Runs the geometric check of `i====`, nearest candidate first: those that fail are removed until one passes. If the
 * first ten fail, nothing is left.
 */
export async function verifyTop(
  search: DuplicateSources,
  reference: ReferencePicture,
  matches: ReadonlyMap<number, Match>,
): Promise<Map<number, Match>> {
  const ordered = [...matches].toSorted(([a, x], [b, y]) => x.distance - y.distance || a - b);
  const tried = ordered.slice(0, verifiedAtMost);
  const ids = tried.map(([id]) => id);
  await search.index.load(ids);
  const closer = await search.closer(ids);
  for (const [k, [id, match]] of tried.entries()) {
    const hashes = search.index.get(id)?.hashes;
    const details = closer.get(id);
    if (hashes == null || details === undefined) continue;
    const verified = verify(match, reference, { ...hashes, ...details }, search.thresholds);
    if (verified !== null) return new Map([[id, verified], ...ordered.slice(k + 1)]);
  }
  return new Map();
}

const verifiedAtMost = 10;

/** Records that may match, by how they were found. */
export type Candidates = Readonly<{
  /** They have the very same file. */
  sameFile: ReadonlySet<number>;
  /** Their hash is near, for `i=` in one of the eight rotations. */
  byHash: readonly Hit[];
  /** The nearest by hashes of parts, and by embedding. */
  others: readonly number[];
}>;

/** The candidates to compare a picture with. */
export async function candidatesOf(
  search: Pick<DuplicateSources, 'index' | 'thresholds' | 'sameFile'>,
  reference: ReferencePicture,
  operator: DuplicateOperator,
): Promise<Candidates> {
  const { index, thresholds } = search;
  const wide = operator === '=';
  const atMost = operator === '===' ? thresholds.near : thresholds.same;
  const hashes = joined(wide ? rotations.map((rotation) => rotateHash(reference.pdq, rotation)) : [reference.pdq]);
  const [sameFile, near, parts, alike] = await Promise.all([
    reference.checksum == null ? [] : search.sameFile(reference.checksum),
    index.find({ kind: 'hashes', hashes, atMost, minQuality: 0 }),
    wide
      ? index.find({
          kind: 'regions',
          ...toRegionQuery(reference.regions),
          atMost: thresholds.shortlist,
          minQuality: 0,
        })
      : [],
    wide && reference.vector !== null && reference.vector.length === index.layout.dimensions
      ? index.findAlike(
          { kind: 'vectors', vector: reference.vector, atLeast: vectorAtLeast },
          { most: vectorCandidates },
        )
      : [],
  ]);
  await index.load(sameFile);
  return {
    sameFile: new Set(sameFile.filter((id) => index.has(id))),
    byHash: near,
    others: [
      ...first(parts, thresholds.candidates, (a, b) => a - b),
      ...first(alike, vectorCandidates, (a, b) => b - a),
    ],
  };
}

/** The best of many hits, without sorting all of them. */
function first(hits: readonly Hit[], count: number, order: (a: number, b: number) => number): number[] {
  const kept: Hit[] = [];
  const isBefore = (a: Hit, b: Hit) => (order(a.value, b.value) || a.id - b.id) < 0;
  for (const hit of hits) {
    const last = kept.at(-1);
    if (kept.length === count && (last === undefined || !isBefore(hit, last))) continue;
    let at = kept.length;
    while (at > 0 && isBefore(hit, kept[at - 1] as Hit)) at -= 1;
    kept.splice(at, 0, hit);
    if (kept.length > count) kept.pop();
  }
  return kept.map(({ id }) => id);
}

function joined(hashes: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(hashes.flatMap((hash) => [...hash]));
}
