import { LRUCache } from 'lru-cache';
import type { Database } from '../backing/index.ts';
import type { Rate, RateClass } from '../config/rates.ts';
import { forTenant, tenantStatement } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';
import type { Viewer } from './viewer.ts';

/** Maximum number of keys and classes over their limit that this process remembers. */
const rememberedRefusals = 10_000;

/**
 * Counts a request in the current window, or starts a new window with it. The row lock makes the count exact across
 * all processes. Even if a server's clock is set back, what is left of a window never exceeds its full length.
 */
const countRequest = tenantStatement(
  'count-request',
  `INSERT INTO rate_window AS w (tenant_id, api_key_id, class, started_at, used)
   VALUES ($1, $2, $3, clock_timestamp(), 1)
   ON CONFLICT (api_key_id, class) DO UPDATE SET
     started_at = CASE WHEN w.started_at + make_interval(secs => $5::int) <= EXCLUDED.started_at
                     THEN EXCLUDED.started_at ELSE w.started_at END,
     used = CASE WHEN w.started_at + make_interval(secs => $5::int) <= EXCLUDED.started_at
                 THEN 1 ELSE least(w.used, $4::int) + 1 END
   WHERE w.tenant_id = $1
   RETURNING used,
     least($5::int, extract(epoch FROM started_at + make_interval(secs => $5::int) - clock_timestamp()))::float8 * 1000
       AS "leftMs"`,
);

/** The windows of a key ($2): how many requests each has counted, and its age in seconds. */
const readWindows = tenantStatement(
  'read-rate-windows',
  `SELECT class AS name, used, extract(epoch FROM clock_timestamp() - started_at)::float8 AS age
   FROM rate_window WHERE tenant_id = $1 AND api_key_id = $2`,
);

/** The state of a class's limit after a request. */
type RateOutcome = Readonly<{
  rate: Rate;
  isRefused: boolean;
  remaining: number;
  /** Seconds until the window ends, at least one. */
  resetSeconds: number;
}>;

export type Limiter = Readonly<{
  /** Counts a request; null if its class has no limit. */
  take(viewer: Viewer, rateClass: RateClass): Promise<RateOutcome> | null;
}>;

/**
 * Limits requests per key and class, across all processes. For a key known to be over its limit, this takes no query.
 */
export function createLimiter(database: Database): Limiter {
  const refusedUntil = new LRUCache<string, number>({ max: rememberedRefusals });

  async function count({ tenantId, keyId }: Viewer, rateClass: RateClass, rate: Rate): Promise<RateOutcome> {
    const { requests, seconds } = rate;
    const place = `${keyId} ${rateClass} ${requests}/${seconds}`;
    const until = refusedUntil.get(place) ?? 0;
    const known = until - performance.now();
    if (known > 0) return { rate, isRefused: true, remaining: 0, resetSeconds: toSeconds(known) };
    const values = [keyId, rateClass, requests, seconds];
    const { rows } = await forTenant(database, tenantId).query<{ used: number; leftMs: number }>(countRequest, values);
    const { used = 1, leftMs = 0 } = rows[0] ?? {};
    const isRefused = used > requests;
    if (isRefused) refusedUntil.set(place, performance.now() + leftMs);
    return { rate, isRefused, remaining: Math.max(0, requests - used), resetSeconds: toSeconds(leftMs) };
  }

  return {
    take(viewer, rateClass) {
      const rate = viewer.rates?.[rateClass];
      return rate === undefined ? null : count(viewer, rateClass, rate);
    },
  };
}

/** The limit for a class of requests, and how many of them the key has sent in the current window. */
export type RateUse = Rate & Readonly<{ rateClass: RateClass; used: number }>;

/** The usage of the viewer's key for each class with a limit. */
export async function rateUse(db: TenantDb, { keyId, rates }: Viewer): Promise<RateUse[]> {
  if (rates === null) return [];
  const { rows } = await db.query<{ name: string; used: number; age: number }>(readWindows, [keyId]);
  return Object.entries(rates).map(([name, rate]) => {
    const window = rows.find((row) => row.name === name && row.age < rate.seconds);
    return { ...rate, rateClass: name as RateClass, used: Math.min(window?.used ?? 0, rate.requests) };
  });
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
