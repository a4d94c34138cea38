import type { TenantDb } from '../../tenants/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { Match } from './compare.ts';
import { findDuplicates, verifyTop } from './find-duplicates.ts';
import type { DuplicateSearch, Reference } from './find-duplicates.ts';
import type { SimilarityIndex } from './memory/similarity-index.ts';
import { findSameFile, readCloser } from './stored-fingerprints.ts';
import { readVerdictsOf } from './stored-verdicts.ts';
import { thresholdsOf } from './stored-thresholds.ts';
import { alikeTiers } from './tiers.ts';
import type { Thresholds } from './tiers.ts';
import { judgeFor } from './verdicts.ts';
import type { JudgedMatch } from './verdicts.ts';

/** A record that a term refers to. */
export type ReferredRecord = Readonly<{ rowId: number; isNegative: boolean }>;

export type Operator = '~' | '~~' | '~~~' | '=' | '==' | '===' | '====';

/** The records that answer, and how similar each is, 0 to 1. */
export type Scores = ReadonlyMap<number, number>;

const recordIds = tenantStatement(
  'similarity-references',
  `SELECT image_id AS id, row_id::text AS "rowId" FROM image WHERE tenant_id = $1 AND image_id = ANY($2::text[])`,
);

/** The numbers of records by their ids. */
export async function findRecords(db: TenantDb, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; rowId: string }>(recordIds, [ids]);
  return new Map(rows.map(({ id, rowId }) => [id, Number(rowId)]));
}

/** Whether an operator can be asked of a record: it has hashes, or a vector. */
export function isComparable(index: SimilarityIndex, operator: Operator, rowId: number): boolean {
  const fingerprint = index.get(rowId);
  return (operator.startsWith('~') ? fingerprint?.vector : fingerprint?.hashes) != null;
}

/** All records that answer a term; the records it refers to are left out. */
export async function answerTerm(
  db: TenantDb,
  index: SimilarityIndex,
  operator: Operator,
  references: readonly ReferredRecord[],
): Promise<Scores> {
  const found = operator.startsWith('~')
    ? await findAlike(index, operator, references)
    : await findSame(db, index, operator, references[0] as ReferredRecord);
  for (const { rowId } of references) found.delete(rowId);
  return found;
}

async function findAlike(
  index: SimilarityIndex,
  operator: Operator,
  references: readonly ReferredRecord[],
): Promise<Map<number, number>> {
  const atLeast = alikeTiers.find((row) => `${row.operator}` === operator)?.atLeast ?? 1;
  const hits = await index.find({ kind: 'vectors', vector: centreOf(index, references), atLeast });
  return new Map(hits.map(({ id, value }) => [id, Math.min(1, value)]));
}

/** The middle of the vectors, pushed away from those that are negated. */
function centreOf(index: SimilarityIndex, references: readonly ReferredRecord[]): Int8Array {
  const sum = new Float64Array(index.layout.dimensions);
  for (const { rowId, isNegative } of references) {
    const vector = index.get(rowId)?.vector ?? new Int8Array();
    const length = Math.hypot(...vector) * (isNegative ? -2 : 1);
    for (const [k, value] of vector.entries()) sum[k] = (sum[k] as number) + value / length;
  }
  const largest = sum.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int8Array.from(sum, (value) => Math.round((value / largest) * 127));
}

async function findSame(
  db: TenantDb,
  index: SimilarityIndex,
  operator: Operator,
  { rowId }: ReferredRecord,
): Promise<Map<number, number>> {
  const [reference, thresholds] = await Promise.all([toReference(db, index, rowId), thresholdsOf(db)]);
  if (reference === null) return new Map();
  const search: DuplicateSearch = {
    index,
    thresholds,
    closer: (ids) => readCloser(db, ids),
    sameFile: (checksum) => findSameFile(db, checksum),
  };
  const asked = operator === '====' ? '===' : (operator as '=' | '==' | '===');
  const [matches, said] = await Promise.all([findDuplicates(search, reference, asked), readVerdictsOf(db, rowId)]);
  const judged = judgeFor(asked, matches, said);
  const kept = operator === '====' ? await verifyJudged(search, reference, judged) : judged;
  return new Map([...kept].map(([id, match]) => [id, scoreOf(match, thresholds)]));
}

/** What a person called the same needs no closer look. */
async function verifyJudged(
  search: DuplicateSearch,
  reference: Reference,
  judged: ReadonlyMap<number, JudgedMatch>,
): Promise<Map<number, Match>> {
  const said = [...judged].filter(([, { verdict }]) => verdict === 'same');
  const measured = [...judged].filter(([, { verdict }]) => verdict !== 'same');
  return new Map<number, Match>([...said, ...(await verifyTop(search, reference, new Map(measured)))]);
}

async function toReference(db: TenantDb, index: SimilarityIndex, rowId: number): Promise<Reference | null> {
  const fingerprint = index.get(rowId);
  if (fingerprint?.hashes == null) return null;
  const closer = (await readCloser(db, [rowId])).get(rowId);
  return { id: rowId, ...fingerprint.hashes, vector: fingerprint.vector, checksum: null, details: null, ...closer };
}

/** Surer tiers score higher, whatever the distance: near 0.9 to 1, same 0.7 to 0.9, edited below. */
function scoreOf({ tier, distance }: Match, { near, same }: Thresholds): number {
  if (tier === 'near') return 1 - (0.1 * Math.min(distance, near)) / near;
  if (tier === 'same') return 0.9 - (0.2 * (distance - near)) / (same - near);
  return 0.7 - (0.2 * Math.min(distance, 128)) / 128;
}
