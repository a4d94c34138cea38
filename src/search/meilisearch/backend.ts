import type { MeilisearchClient } from '../../backing/index.ts';
import { refusalIn } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';

/** Why PostgreSQL answers although an engine is configured. */
export const backendReasons = [
  /** The formula asks what the engine cannot answer exactly. */
  'formula',
  /** The engine has no such order, or the page is behind a cursor or too deep. */
  'order',
  /** Values are too long or too many for it to count exactly. */
  'values',
  /** Its index is being filled. */
  'filling',
  /** It has not been told yet of what the tenant has written. */
  'behind',
  /** It does not answer. */
  'away',
] as const;
export type BackendReason = (typeof backendReasons)[number];

export type AnsweredBy = Readonly<{ engine: 'meilisearch' | 'postgresql'; reason: BackendReason | null }>;

/** An index as it was looked up last; `told` counts what it has been told of. */
export type KnownIndex = Readonly<{ uid: string; told: number }>;

/** An engine that may be asked. */
export type MeilisearchBackend = Readonly<{
  client: MeilisearchClient;
  /** How old what it does not know yet may be; 0: answers are as new as PostgreSQL's. */
  maxLagMs: number;
  /** The indexes that were asked before, and since when nothing about them has changed. */
  known: Map<Resource, KnownIndex & Readonly<{ since: number }>>;
  /** Asks it, unless it was away a moment ago. */
  ask<T>(searchQuery: (client: MeilisearchClient) => Promise<T>): Promise<T | BackendReason>;
}>;

/** How long an engine that did not answer is left alone. */
const awayMs = 3_000;

export function openMeilisearch(client: MeilisearchClient, maxLagMs: number, logger: Logger): MeilisearchBackend {
  let awayUntil = 0;
  return {
    client,
    maxLagMs,
    known: new Map(),
    async ask(searchQuery) {
      if (Date.now() < awayUntil) return 'away';
      try {
        return await searchQuery(client);
      } catch (error) {
        const refusal = refusalIn(error);
        // Most refusals are about this question alone; without a key there is none that it takes.
        if (refusal === null || refusal.status === 401 || refusal.status === 403) awayUntil = Date.now() + awayMs;
        const reason = refusal ?? (error as Error).cause ?? error;
        logger.warn({ error: String(reason) }, 'the search engine did not answer; PostgreSQL does');
        return 'away';
      }
    },
  };
}

/** What is told of a request: which part of its answer came from where. */
export type Route = Readonly<{ engine: MeilisearchBackend; tell: (part: string, by: AnsweredBy) => void }>;

/** Asks the engine, and PostgreSQL where it cannot answer; without an engine nobody else is asked. */
export async function meilisearchOr<T extends object | number>(
  route: Route | undefined,
  part: string,
  byMeilisearch: (engine: MeilisearchBackend) => Promise<T | BackendReason>,
  bySql: () => Promise<T>,
): Promise<T> {
  if (route === undefined) return bySql();
  const answer = await byMeilisearch(route.engine);
  if (typeof answer === 'string') {
    route.tell(part, { engine: 'postgresql', reason: answer });
    return bySql();
  }
  route.tell(part, { engine: 'meilisearch', reason: null });
  return answer;
}
