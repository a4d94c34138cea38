import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Answered, ScoreText } from '../term.ts';
import { thresholdsOf, tierOf, wordWeight } from '../calibration/alike-thresholds.ts';
import type { AlikeThresholds } from '../calibration/alike-thresholds.ts';
import type { Compared, TenantIndex } from '../compare/comparison.ts';
import { addDirection, centerOf } from '../compare/directions.ts';
import type { Direction } from '../compare/directions.ts';
import { indexedRows } from '../index/indexed-rows.ts';
import type { RowFilter } from '../index/search-index.ts';
import { explainSimilarity } from '../compare/match-explanation.ts';
import { alikeTiers } from '../compare/tiers.ts';
import type { AlikeOperator } from '../compare/tiers.ts';

type AlikeAsked = Readonly<{
  resource: Resource;
  operator: AlikeOperator;
  references: readonly Compared[];
  scoreText: ScoreText;
  /** The rows that matter; others may be left out. */
  within?: RowFilter | null;
}>;

/** If no model embeds texts, this many of the records that match a text represent it. */
const prototypes = 256;

/**
 * Finds records similar to a term's references: by vectors, or by words if it only refers to texts that no model
 * embeds.
 */
export async function findAlike(db: TenantDb, tenantIndex: TenantIndex, asked: AlikeAsked): Promise<Answered> {
  const { resource, operator, references, within = null } = asked;
  const { tier } = alikeTiers.find((row) => row.operator === operator) ?? alikeTiers[2];
  if (references.every(({ text }) => text !== null)) {
    return alikeAnswer(await compareWords(asked), thresholdsOf(null, 'words'), tier, 'words');
  }
  const isOfPictures = references.some(({ kind, isNegative }) => kind === 'image' && !isNegative);
  const thresholds = thresholdsOf(tenantIndex.model?.name ?? null, isOfPictures ? 'image' : 'text');
  const rows = new Map<number, number>();
  for (const vector of await vectorsOf(db, tenantIndex, asked)) {
    const hits = await tenantIndex.index.findAlike({ kind: 'vectors', vector, atLeast: thresholds[tier] }, { within });
    for (const { id, value } of hits) rows.set(id, Math.min(1, Math.max(rows.get(id) ?? 0, value)));
  }
  const best = await indexedRows[resource].bestOf(db, rows, (value) => value);
  return alikeAnswer(best, thresholds, tier, 'embedding');
}

/** The values that reach a tier, and their explanations. */
function alikeAnswer(
  values: ReadonlyMap<number, number>,
  thresholds: AlikeThresholds,
  tier: keyof AlikeThresholds,
  by: 'embedding' | 'words',
): Answered {
  const reached = [...values].filter(([, value]) => value >= thresholds[tier] - 1e-9);
  const worth = by === 'words' ? wordWeight : 1;
  const found = new Map(reached.map(([rowId, value]) => [rowId, value * worth]));
  const explainMatch = (rowId: number) => {
    const value = values.get(rowId);
    if (value === undefined || !found.has(rowId)) return null;
    return { ...explainSimilarity(tierOf(thresholds, value), by, value), similarity: value * worth };
  };
  return { found, explainMatch };
}

/**
 * Scores each record by the mean fraction of words that match, over the wanted texts, minus the largest of the
 * unwanted ones.
 */
async function compareWords({ references, scoreText }: AlikeAsked): Promise<Map<number, number>> {
  const answers = await Promise.all(
    references.map(async ({ text, isNegative }) => ({
      isNegative,
      scores: await scoreText(text ?? ''),
    })),
  );
  const wanted = answers.filter(({ isNegative }) => !isNegative);
  const others = answers.filter(({ isNegative }) => isNegative);
  const scores = new Map<number, number>();
  for (const id of new Set(wanted.flatMap(({ scores: shares }) => [...shares.keys()]))) {
    const sum = wanted.reduce((total, { scores: shares }) => total + (shares.get(id) ?? 0), 0);
    const against = Math.max(0, ...others.map(({ scores: shares }) => shares.get(id) ?? 0));
    scores.set(id, Math.max(0, sum / wanted.length - against));
  }
  return scores;
}

/**
 * The vectors to search by: those of all pictures of a single reference, or the combined direction of several
 * references.
 */
async function vectorsOf(db: TenantDb, tenantIndex: TenantIndex, asked: AlikeAsked): Promise<readonly Int8Array[]> {
  if (tenantIndex.model === null) return [];
  const { references } = asked;
  const [only] = references;
  if (references.length === 1) {
    return only?.isNegative === false ? only.pictures.flatMap(({ vector }) => vector ?? []) : [];
  }
  const directions = await Promise.all(references.map((each) => directionOf(db, tenantIndex, each, asked)));
  return [centerOf(tenantIndex.index.layout.dimensions, directions)].filter((each) => each !== null);
}

/** The direction of a reference's pictures; for a text without a model, that of the records that match it. */
async function directionOf(
  db: TenantDb,
  { index }: TenantIndex,
  { pictures, text, isNegative }: Compared,
  { resource, scoreText }: AlikeAsked,
): Promise<Direction | null> {
  const sum = new Float64Array(index.layout.dimensions);
  for (const { vector } of pictures) addDirection(sum, vector, 1);
  if (text !== null) {
    const scores = [...(await scoreText(text))].toSorted(([a, x], [b, y]) => y - x || a - b);
    const nearest = new Map(scores.slice(0, prototypes));
    const rows = await indexedRows[resource].rowsOf(db, [...nearest.keys()]);
    await index.load([...rows.keys()]);
    for (const [row, record] of rows) {
      addDirection(sum, index.get(row)?.vector ?? null, nearest.get(record) ?? 0);
    }
  }
  return sum.every((value) => value === 0) ? null : { values: sum, isNegative };
}
