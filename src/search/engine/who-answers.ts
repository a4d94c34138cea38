import type { TenantDb } from '../../tenants/index.ts';
import type { Question } from '../question.ts';
import { countByEngine } from './count.ts';
import type { AnsweredBy, EngineReason, SearchEngine } from './engine.ts';
import { planList } from './plan.ts';

/** A part of an answer, and what gives it. */
export type Answerer = AnsweredBy & Readonly<{ part: 'results' | 'count' }>;

const firstPage = { sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false, page: 1, limit: 50 } as const;

/** What would answer a question now: its first page in the order of a list that names none, and its count. */
export async function whoAnswers(db: TenantDb, engine: SearchEngine, question: Question): Promise<Answerer[]> {
  const counted = await countByEngine(db, engine, question);
  const ofCount = typeof counted === 'string' ? counted : null;
  const plan = await planList(db, question, firstPage);
  const ofResults = typeof plan === 'string' ? plan : ofCount;
  return [toAnswerer('results', ofResults), toAnswerer('count', ofCount)];
}

function toAnswerer(part: Answerer['part'], reason: EngineReason | null): Answerer {
  return { part, engine: reason === null ? 'meilisearch' : 'postgresql', reason };
}
