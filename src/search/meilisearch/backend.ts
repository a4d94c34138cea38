import type { MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import { refusalIn } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';

/** Why PostgreSQL answered although Meilisearch is configured. */
export const backendReasons = [
  /** The formula contains something that Meilisearch cannot answer exactly. */
  'formula',
  /** Meilisearch does not support the order, or the page uses a cursor or is too deep. */
  'order',
  /** Values are too long or too many to be counted exactly. */
  'values',
  /** Its index is being filled. */
  'filling',
  /** It does not have all changes of the tenant yet. */
  'behind',
  /** It is unavailable. */
  'unavailable',
] as const;
export type BackendReason = (typeof backendReasons)[number];

/** Returns what a reason was called until version 0.2, for deprecated fields. */
export function formerReasonOf(reason: BackendReason): string {
  return reason === 'unavailable' ? 'away' : reason;
}

export type AnsweredBy = Readonly<{ backend: 'meilisearch' | 'postgresql'; reason: BackendReason | null }>;

/** An index as of the last check; `indexedVersion` counts its updates. */
export type KnownIndex = Readonly<{ uid: string; members: readonly MeilisearchMember[]; indexedVersion: number }>;

/** A Meilisearch that may be queried. */
export type MeilisearchBackend = Readonly<{
  client: MeilisearchClient;
  /** Maximum age of changes that it may lack; with 0, answers are as fresh as PostgreSQL's. */
  maxLagMs: number;
  /** The indexes that have been queried, and since when they have not changed. */
  known: Map<Resource, KnownIndex & Readonly<{ since: number }>>;
  /** Runs a query, unless Meilisearch was unavailable a moment ago. */
  ask<T>(query: () => Promise<T>): Promise<T | BackendReason>;
}>;

/** How long Meilisearch is left alone after it was unavailable. */
const unavailableMs = 3_000;

export function openMeilisearch(client: MeilisearchClient, maxLagMs: number, logger: Logger): MeilisearchBackend {
  let unavailableUntil = 0;
  return {
    client,
    maxLagMs,
    known: new Map(),
    async ask(query) {
      if (Date.now() < unavailableUntil) return 'unavailable';
      try {
        return await query();
      } catch (error) {
        const refusal = refusalIn(error);
        // Most refusals concern only this query, but with an invalid key every query is refused.
        if (refusal === null || refusal.status === 401 || refusal.status === 403)
          unavailableUntil = Date.now() + unavailableMs;
        const reason = refusal ?? (error as Error).cause ?? error;
        logger.warn({ error: String(reason) }, 'Meilisearch did not answer; PostgreSQL answers');
        return 'unavailable';
      }
    },
  };
}

/** Reports, for one request, which backend produced which part of its answer. */
export type SearchRoute = Readonly<{ meilisearch: MeilisearchBackend; report: (part: string, by: AnsweredBy) => void }>;

/** Queries Meilisearch, or PostgreSQL if it cannot answer; without Meilisearch, only PostgreSQL. */
export async function meilisearchOr<T extends object | number>(
  route: SearchRoute | undefined,
  part: string,
  byMeilisearch: (meilisearch: MeilisearchBackend) => Promise<T | BackendReason>,
  bySql: () => Promise<T>,
): Promise<T> {
  if (route === undefined) return bySql();
  const answer = await byMeilisearch(route.meilisearch);
  if (typeof answer === 'string') {
    route.report(part, { backend: 'postgresql', reason: answer });
    return bySql();
  }
  route.report(part, { backend: 'meilisearch', reason: null });
  return answer;
}
