import type { TenantDb } from '../../tenants/index.ts';
import type { SimilarityTerm } from '../formula/ast.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';
import { thresholdsOf } from './alike-thresholds.ts';
import { addDirection, alikeAnswer, centreOf, compareWords, prototypes, scoreOf } from './answer-term.ts';
import type { Answered, Direction, TenantIndex } from './answer-term.ts';
import { answerText } from './answer-text.ts';
import type { Match } from './compare.ts';
import { findDuplicates, verifyTop } from './find-duplicates.ts';
import type { DuplicateSearch, Reference } from './find-duplicates.ts';
import { likenessOf } from './likeness.ts';
import { findFramesOf, findVideosOf, readCloserFrames } from './stored-frames.ts';
import { alikeTiers, defaultThresholds } from './tiers.ts';

/** A picture that a term refers to: a frame, or an image. What it lacks it is not compared by. */
export type Picture = Readonly<{ vector: Int8Array | null; reference: Reference | null }>;

/** What a reference of a term came to, ready to be compared with frames. */
export type ComparedPictures = Readonly<{
  isNegative: boolean;
  /** The video that it is, which is left out of the answers. */
  videoRowId: number | null;
  /** The frames of a video, or one picture; none for a text. */
  pictures: readonly Picture[];
  /** A text that no model can place among the frames: its words are compared. */
  text: string | null;
  kind: 'image' | 'text';
}>;

type Asked = Readonly<{ term: SimilarityTerm; references: readonly ComparedPictures[]; lang: SearchLanguage }>;

/** All videos of which a frame answers a term, as similar as the nearest; those it refers to are left out. */
export async function answerVideoTerm(db: TenantDb, tenantIndex: TenantIndex, asked: Asked): Promise<Answered> {
  const { term, references } = asked;
  const isAlike = term.operator.startsWith('~');
  const answered = isAlike ? await findAlike(db, tenantIndex, asked) : await findSame(db, tenantIndex, asked);
  const found = new Map([...answered.found].filter(([, score]) => score >= (term.minScore ?? 0)));
  for (const { videoRowId } of references) if (videoRowId !== null) found.delete(videoRowId);
  return { found, likenessOf: (rowId) => (found.has(rowId) ? answered.likenessOf(rowId) : null) };
}

async function findAlike(db: TenantDb, tenantIndex: TenantIndex, { term, references, lang }: Asked): Promise<Answered> {
  const { tier } = alikeTiers.find(({ operator }) => operator === term.operator) ?? alikeTiers[2];
  if (references.every(({ text }) => text !== null)) {
    const shares = await compareWords(db, references, lang, 'video');
    return alikeAnswer(shares, thresholdsOf(null, 'words'), tier, 'words');
  }
  const { index, model } = tenantIndex;
  const isOfPictures = references.some(({ kind, isNegative }) => kind === 'image' && !isNegative);
  const thresholds = thresholdsOf(model, isOfPictures ? 'image' : 'text');
  const frames = new Map<number, number>();
  for (const vector of await vectorsOf(db, tenantIndex, references, lang)) {
    for (const { id, value } of await index.find({ kind: 'vectors', vector, atLeast: thresholds[tier] })) {
      frames.set(id, Math.min(1, Math.max(frames.get(id) ?? 0, value)));
    }
  }
  const best = await bestOfVideos(db, frames, (value) => value);
  return alikeAnswer(best, thresholds, tier, 'embedding');
}

/** One reference is compared frame by frame, several by what lies between the middles of each. */
async function vectorsOf(
  db: TenantDb,
  tenantIndex: TenantIndex,
  references: readonly ComparedPictures[],
  lang: SearchLanguage,
): Promise<readonly Int8Array[]> {
  if (tenantIndex.model === null) return [];
  const [only] = references;
  if (references.length === 1) return (only?.pictures ?? []).flatMap(({ vector }) => vector ?? []);
  const directions = await Promise.all(references.map((each) => directionOf(db, tenantIndex, each, lang)));
  return [centreOf(tenantIndex.index.layout.dimensions, directions)].filter((each) => each !== null);
}

/** The middle of the frames of a video; of a text without a model, of the videos that it is about. */
async function directionOf(
  db: TenantDb,
  { index }: TenantIndex,
  { pictures, text, isNegative }: ComparedPictures,
  lang: SearchLanguage,
): Promise<Direction | null> {
  const sum = new Float64Array(index.layout.dimensions);
  for (const { vector } of pictures) addDirection(sum, vector, 1);
  if (text !== null) {
    const shares = [...(await answerText(db, text, lang, 'video'))].toSorted(([a, x], [b, y]) => y - x || a - b);
    const nearest = new Map(shares.slice(0, prototypes));
    for (const [frame, video] of await findFramesOf(db, [...nearest.keys()])) {
      addDirection(sum, index.get(frame)?.vector ?? null, nearest.get(video) ?? 0);
    }
  }
  return sum.every((value) => value === 0) ? null : { values: sum, isNegative };
}

async function findSame(db: TenantDb, { index }: TenantIndex, { term, references }: Asked): Promise<Answered> {
  const search: DuplicateSearch = {
    index,
    thresholds: defaultThresholds,
    closer: (ids) => readCloserFrames(db, ids),
    sameFile: async () => [], // A video has no checksum.
  };
  const asked = term.operator === '====' ? '===' : (term.operator as '=' | '==' | '===');
  const frames = new Map<number, Match>();
  for (const { reference } of references[0]?.pictures ?? []) {
    if (reference === null) continue;
    const matches = await findDuplicates(search, reference, asked);
    const kept = term.operator === '====' ? await verifyTop(search, reference, matches) : matches;
    for (const [id, match] of kept) {
      const known = frames.get(id);
      if (known === undefined || scoreOf(match) > scoreOf(known)) frames.set(id, match);
    }
  }
  const best = await bestOfVideos(db, frames, scoreOf);
  return {
    found: new Map([...best].map(([video, match]) => [video, scoreOf(match)])),
    likenessOf: (video) => {
      const match = best.get(video);
      return match === undefined ? null : likenessOf(match, scoreOf(match));
    },
  };
}

/** For each video what the best of its frames came to. */
async function bestOfVideos<T>(
  db: TenantDb,
  frames: ReadonlyMap<number, T>,
  score: (value: T) => number,
): Promise<Map<number, T>> {
  const videos = await findVideosOf(db, [...frames.keys()]);
  const best = new Map<number, T>();
  for (const [frame, value] of frames) {
    const video = videos.get(frame);
    if (video === undefined) continue; // Gone meanwhile.
    const known = best.get(video);
    if (known === undefined || score(value) > score(known)) best.set(video, value);
  }
  return best;
}
