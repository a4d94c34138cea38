import type { TenantDb } from '../../tenants/index.ts';
import { scoreOf } from './answer-term.ts';
import type { Operator, Scores } from './answer-term.ts';
import { findDuplicates, verifyTop } from './find-duplicates.ts';
import type { DuplicateSearch, Reference } from './find-duplicates.ts';
import type { SimilarityIndex } from './memory/similarity-index.ts';
import { findVideosOf, readCloserFrames } from './stored-frames.ts';
import { alikeTiers, defaultThresholds } from './tiers.ts';

/** A picture that a term refers to: a frame, or an image. What it lacks it is not compared by. */
export type Picture = Readonly<{ vector: Int8Array | null; reference: Reference | null }>;

/** What a term refers to: the frames of a video, or one image. */
export type ReferredPictures = Readonly<{
  /** The video is left out of what it finds; null for an image. */
  videoRowId: number | null;
  pictures: readonly Picture[];
  isNegative: boolean;
}>;

/** All videos of which a frame answers a term, and how similar the nearest one is. */
export async function answerVideoTerm(
  db: TenantDb,
  index: SimilarityIndex,
  operator: Operator,
  references: readonly ReferredPictures[],
): Promise<Scores> {
  const frames = operator.startsWith('~')
    ? await findAlike(index, operator, references)
    : await findSame(db, index, operator, references[0]?.pictures ?? []);
  const videos = await findVideosOf(db, [...frames.keys()]);
  const found = new Map<number, number>();
  for (const [frame, score] of frames) {
    const video = videos.get(frame);
    if (video !== undefined) found.set(video, Math.max(found.get(video) ?? 0, score));
  }
  for (const { videoRowId } of references) if (videoRowId !== null) found.delete(videoRowId);
  return found;
}

/** One reference is compared frame by frame, several by what lies between the middles of each. */
async function findAlike(
  index: SimilarityIndex,
  operator: Operator,
  references: readonly ReferredPictures[],
): Promise<Map<number, number>> {
  const atLeast = alikeTiers.find((row) => `${row.operator}` === operator)?.atLeast ?? 1;
  const { dimensions } = index.layout;
  const middles = references.map(({ pictures, isNegative }) => ({
    middle: middleOf(pictures, dimensions),
    isNegative,
  }));
  const [only] = references;
  const vectors =
    references.length === 1
      ? (only?.pictures ?? []).flatMap(({ vector }) => vector ?? [])
      : [
          toVector(
            sumOf(
              middles.map(({ middle, isNegative }) => ({ of: middle, times: isNegative ? -0.5 : 1 })),
              dimensions,
            ),
          ),
        ];
  const best = new Map<number, number>();
  for (const vector of vectors) {
    for (const { id, value } of await index.find({ kind: 'vectors', vector, atLeast })) {
      best.set(id, Math.min(1, Math.max(best.get(id) ?? 0, value)));
    }
  }
  return best;
}

type Share = Readonly<{ of: ArrayLike<number>; times: number }>;

function sumOf(shares: readonly Share[], dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (const { of, times } of shares) {
    for (let k = 0; k < dimensions; k += 1) sum[k] = (sum[k] as number) + (of[k] ?? 0) * times;
  }
  return sum;
}

/** The mean of the vectors of pictures, each of length 1, brought to length 1 again. */
function middleOf(pictures: readonly Picture[], dimensions: number): Float64Array {
  const shares = pictures.flatMap(({ vector }) =>
    vector === null ? [] : [{ of: vector, times: 1 / Math.hypot(...vector) }],
  );
  const sum = sumOf(shares, dimensions);
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

function toVector(sum: Float64Array): Int8Array {
  const largest = sum.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int8Array.from(sum, (value) => Math.round((value / largest) * 127));
}

async function findSame(
  db: TenantDb,
  index: SimilarityIndex,
  operator: Operator,
  pictures: readonly Picture[],
): Promise<Map<number, number>> {
  const search: DuplicateSearch = {
    index,
    thresholds: defaultThresholds,
    closer: (ids) => readCloserFrames(db, ids),
    sameFile: async () => [],
  };
  const asked = operator === '====' ? '===' : (operator as '=' | '==' | '===');
  const best = new Map<number, number>();
  for (const { reference } of pictures) {
    if (reference === null) continue;
    const matches = await findDuplicates(search, reference, asked);
    const kept = operator === '====' ? await verifyTop(search, reference, matches) : matches;
    for (const [id, match] of kept) best.set(id, Math.max(best.get(id) ?? 0, scoreOf(match)));
  }
  return best;
}
