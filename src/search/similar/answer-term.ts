import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { SimilarityTerm } from '../formula/ast.ts';
import type { SearchLanguage } from '../formula/to-sql.ts';
import { thresholdsOf, tierOf } from './alike-thresholds.ts';
import type { AlikeThresholds } from './alike-thresholds.ts';
import { answerText } from './answer-text.ts';
import type { Match } from './compare.ts';
import { findDuplicates, verifyTop } from './find-duplicates.ts';
import type { DuplicateSearch, Reference } from './find-duplicates.ts';
import { alikeness, likenessOf } from './likeness.ts';
import type { Likeness } from './likeness.ts';
import type { SimilarityIndex } from './memory/similarity-index.ts';
import { findSameFile, readCloser } from './stored-fingerprints.ts';
import { alikeTiers, defaultThresholds } from './tiers.ts';

/** A tenant's index, and the model whose vectors are in it; null where none are. */
export type TenantIndex = Readonly<{ index: SimilarityIndex; model: string | null }>;

/** What a reference of a term came to, ready to be compared. */
export type Compared = Readonly<{
  isNegative: boolean;
  /** The record that it is, or is a part of: left out of the answers. */
  rowId: number | null;
  /** In the space of the index. */
  vector: Int8Array | null;
  /** For `i=`…; null for texts. */
  reference: Reference | null;
  /** A text that no model can place among the images: its words are compared. */
  text: string | null;
  kind: 'image' | 'text';
}>;

export type Answered = Readonly<{
  /** The records that answer, and how similar each is, 0 to 1. */
  found: ReadonlyMap<number, number>;
  /** Why a record answers; null for one that does not. */
  likenessOf: (rowId: number) => Likeness | null;
}>;

export type TermAsked = Readonly<{ term: SimilarityTerm; references: readonly Compared[]; lang: SearchLanguage }>;

/** All records that answer a term; the records it refers to are left out. */
export async function answerTerm(db: TenantDb, tenantIndex: TenantIndex, asked: TermAsked): Promise<Answered> {
  const { term, references } = asked;
  const isAlike = term.operator.startsWith('~');
  const answered = isAlike ? await findAlike(db, tenantIndex, asked) : await findSame(db, tenantIndex, asked);
  const found = new Map([...answered.found].filter(([, score]) => score >= (term.minScore ?? 0)));
  for (const { rowId } of references) if (rowId !== null) found.delete(rowId);
  return { found, likenessOf: (rowId) => (found.has(rowId) ? answered.likenessOf(rowId) : null) };
}

async function findAlike(
  db: TenantDb,
  tenantIndex: TenantIndex,
  { term, references, lang }: TermAsked,
): Promise<Answered> {
  const row = alikeTiers.find(({ operator }) => operator === term.operator) ?? alikeTiers[2];
  if (references.every(({ text }) => text !== null)) {
    const shares = await compareWords(db, references, lang);
    return alikeAnswer(shares, thresholdsOf(null, 'words'), row.tier, 'words');
  }
  const { index, model } = tenantIndex;
  const positive = references.filter(({ isNegative }) => !isNegative);
  const kind = positive.some((each) => each.kind === 'image') ? 'image' : 'text';
  const thresholds = thresholdsOf(model, kind);
  const vectors = await Promise.all(references.map((each) => vectorOf(db, tenantIndex, each, lang)));
  const centre = model === null ? null : centreOf(index.layout.dimensions, vectors);
  if (centre === null) return { found: new Map(), likenessOf: () => null };
  const hits = await index.find({ kind: 'vectors', vector: centre, atLeast: thresholds[row.tier] });
  return alikeAnswer(new Map(hits.map(({ id, value }) => [id, Math.min(1, value)])), thresholds, row.tier, 'embedding');
}

/** What reaches a tier, and why. */
export function alikeAnswer(
  values: ReadonlyMap<number, number>,
  thresholds: AlikeThresholds,
  tier: keyof AlikeThresholds,
  by: 'embedding' | 'words',
): Answered {
  const found = new Map([...values].filter(([, value]) => value >= thresholds[tier] - 1e-9));
  const likeness = (value: number) => alikeness(tierOf(thresholds, value), by, value);
  return { found, likenessOf: (rowId) => (found.has(rowId) ? likeness(found.get(rowId) as number) : null) };
}

/** The mean share of the texts that are wanted, less the largest of one that is not. */
export async function compareWords(
  db: TenantDb,
  references: readonly Pick<Compared, 'text' | 'isNegative'>[],
  lang: SearchLanguage,
  resource: Resource = 'image',
): Promise<Map<number, number>> {
  const answers = await Promise.all(
    references.map(async ({ text, isNegative }) => ({
      isNegative,
      shares: await answerText(db, text ?? '', lang, resource),
    })),
  );
  const wanted = answers.filter(({ isNegative }) => !isNegative);
  const others = answers.filter(({ isNegative }) => isNegative);
  const scores = new Map<number, number>();
  for (const id of new Set(wanted.flatMap(({ shares }) => [...shares.keys()]))) {
    const sum = wanted.reduce((total, { shares }) => total + (shares.get(id) ?? 0), 0);
    const against = Math.max(0, ...others.map(({ shares }) => shares.get(id) ?? 0));
    scores.set(id, Math.max(0, sum / wanted.length - against));
  }
  return scores;
}

/** So many images that show a text stand for it where no model can place it. */
export const prototypes = 256;

/** Where a reference lies. */
export type Direction = Readonly<{ values: Float64Array; isNegative: boolean }>;

/** Where a reference lies in the space of the index: a text without a model where the images lie that show it. */
async function vectorOf(
  db: TenantDb,
  { index }: TenantIndex,
  { vector, text, isNegative }: Compared,
  lang: SearchLanguage,
): Promise<Direction | null> {
  const sum = new Float64Array(index.layout.dimensions);
  if (vector !== null) addDirection(sum, vector, 1);
  if (text !== null) {
    const shares = [...(await answerText(db, text, lang))].toSorted(([a, x], [b, y]) => y - x || a - b);
    for (const [id, share] of shares.slice(0, prototypes)) addDirection(sum, index.get(id)?.vector ?? null, share);
  }
  return sum.every((value) => value === 0) ? null : { values: sum, isNegative };
}

/** Adds a vector as one of length `weight`. */
export function addDirection(sum: Float64Array, vector: Int8Array | null, weight: number): void {
  if (vector === null) return;
  const length = Math.hypot(...vector) || 1;
  for (const [k, value] of vector.entries()) sum[k] = (sum[k] as number) + (value * weight) / length;
}

/** The middle of the directions, pushed away from those that are negated; null where none is wanted. */
export function centreOf(dimensions: number, directions: readonly (Direction | null)[]): Int8Array | null {
  const known = directions.filter((each) => each !== null);
  if (known.every(({ isNegative }) => isNegative)) return null;
  const sum = new Float64Array(dimensions);
  for (const { values, isNegative } of known) {
    const length = Math.hypot(...values) * (isNegative ? -2 : 1);
    for (const [k, value] of values.entries()) sum[k] = (sum[k] as number) + value / length;
  }
  const largest = sum.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int8Array.from(sum, (value) => Math.round((value / largest) * 127));
}

async function findSame(db: TenantDb, { index }: TenantIndex, { term, references }: TermAsked): Promise<Answered> {
  const reference = references[0]?.reference ?? null;
  if (reference === null) return { found: new Map(), likenessOf: () => null };
  const search: DuplicateSearch = {
    index,
    thresholds: defaultThresholds,
    closer: (ids) => readCloser(db, ids),
    sameFile: (checksum) => findSameFile(db, checksum),
  };
  const asked = term.operator === '====' ? '===' : (term.operator as '=' | '==' | '===');
  const matches = await findDuplicates(search, reference, asked);
  const kept = term.operator === '====' ? await verifyTop(search, reference, matches) : matches;
  const found = new Map([...kept].map(([id, match]) => [id, scoreOf(match)]));
  return {
    found,
    likenessOf: (rowId) => {
      const match = kept.get(rowId);
      return match === undefined ? null : likenessOf(match, scoreOf(match));
    },
  };
}

/** Surer tiers score higher, whatever the distance: near 0.9 to 1, same 0.7 to 0.9, edited below. */
export function scoreOf({ tier, distance }: Match): number {
  const { near, same } = defaultThresholds;
  if (tier === 'near') return 1 - (0.1 * Math.min(distance, near)) / near;
  if (tier === 'same') return 0.9 - (0.2 * (distance - near)) / (same - near);
  return 0.7 - (0.2 * Math.min(distance, 128)) / 128;
}
