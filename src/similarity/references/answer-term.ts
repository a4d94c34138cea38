import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Answered, ScoreText, Term } from '../term.ts';
import { findAlike } from './answer-alike.ts';
import type { Match } from '../compare/compare.ts';
import type { Compared, TenantIndex } from '../compare/comparison.ts';
import { findDuplicates, verifyTop } from '../groups/find-duplicates.ts';
import type { DuplicateSources, ReferencePicture } from '../groups/find-duplicates.ts';
import { indexedRows } from '../index/indexed-rows.ts';
import type { RowFilter } from '../index/search-index.ts';
import { explainMatch, shownSimilarity } from '../compare/match-explanation.ts';
import { distancesOf } from '../calibration/stored-thresholds.ts';
import type { AlikeOperator, Thresholds } from '../compare/tiers.ts';
import { judgeFor } from '../groups/verdicts.ts';
import type { JudgedMatch } from '../groups/verdicts.ts';

type TermAsked = Readonly<{
  resource: Resource;
  term: Term;
  references: readonly Compared[];
  scoreText: ScoreText;
  /** The rows that matter; others may be left out. */
  within?: RowFilter | null;
}>;

/** Finds all records that match a term, a video by its best frame. The records that the term refers to are left out. */
export async function answerTerm(db: TenantDb, tenantIndex: TenantIndex, asked: TermAsked): Promise<Answered> {
  const { term, references } = asked;
  const answered = term.operator.startsWith('~')
    ? await findAlike(db, tenantIndex, { ...asked, operator: term.operator as AlikeOperator })
    : await findSame(db, tenantIndex, asked);
  // By the similarity that replies show, so that a record shown with the minimum reaches it.
  const found = new Map([...answered.found].filter(([, score]) => shownSimilarity(score) >= (term.minScore ?? 0)));
  for (const { rowId } of references) if (rowId !== null) found.delete(rowId);
  return { found, explainMatch: (rowId) => (found.has(rowId) ? answered.explainMatch(rowId) : null) };
}

async function findSame(
  db: TenantDb,
  { index }: TenantIndex,
  { resource, term, references }: TermAsked,
): Promise<Answered> {
  const thresholds = await distancesOf(db);
  const score = (match: Match) => scoreOf(match, thresholds);
  const { closer, sameFile, verdicts, bestOf } = indexedRows[resource];
  const search: DuplicateSources = {
    index,
    thresholds,
    closer: (rows) => closer(db, rows),
    sameFile: (checksum) => sameFile(db, checksum),
  };
  const asked = term.operator === '====' ? '===' : (term.operator as '=' | '==' | '===');
  const rows = new Map<number, Match>();
  for (const { reference } of references[0]?.pictures ?? []) {
    if (reference === null) continue;
    // Verdicts on a record do not apply to a part of it, nor to a picture that is no record.
    const isWhole = reference.id !== null && term.box === null;
    const said = isWhole ? await verdicts(db, reference.id as number) : new Map();
    const judged = judgeFor(asked, await findDuplicates(search, reference, asked), said);
    const kept = term.operator === '====' ? await verifyJudged(search, reference, judged) : judged;
    for (const [row, match] of kept) {
      const known = rows.get(row);
      if (known === undefined || score(match) > score(known)) rows.set(row, match);
    }
  }
  const best = await bestOf(db, rows, score);
  return {
    found: new Map([...best].map(([record, match]) => [record, score(match)])),
    explainMatch: (record) => {
      const match = best.get(record);
      return match === undefined ? null : explainMatch(match, score(match));
    },
  };
}

/** Records that a person called the same need no close comparison. */
async function verifyJudged(
  search: DuplicateSources,
  reference: ReferencePicture,
  judged: ReadonlyMap<number, JudgedMatch>,
): Promise<Map<number, Match>> {
  const said = [...judged].filter(([, { verdict }]) => verdict === 'same');
  const measured = [...judged].filter(([, { verdict }]) => verdict !== 'same');
  return new Map<number, Match>([...said, ...(await verifyTop(search, reference, new Map(measured)))]);
}

/** Stricter tiers score higher, no matter the distance: near 0.9 to 1, same 0.7 to 0.9, edited below. */
function scoreOf({ tier, distance }: Match, { near, same }: Thresholds): number {
  if (tier === 'near') return 1 - (0.1 * Math.min(distance, near)) / near;
  if (tier === 'same') return 0.9 - (0.2 * (distance - near)) / (same - near);
  return 0.7 - (0.2 * Math.min(distance, 128)) / 128;
}
