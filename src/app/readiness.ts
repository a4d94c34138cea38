import type { Reply } from '../lib/http-contract.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { Degraded, probesOf, refusalIn } from '../backing/index.ts';
import type { Backing, Probe } from '../backing/index.ts';
import type { Logger } from '../observability/logger.ts';
import { meilisearchLag } from '../search/index.ts';

/** Headers of replies that are true only for a moment. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Orchestrators probe often and expect a quick answer. */
const timeoutMs = 2_000;

/** Probes for each service behind this one, including Meilisearch. */
export function probesBehind(
  backing: Pick<Backing, 'database' | 'notifications' | 'queue' | 'meilisearch'>,
): readonly Probe[] {
  const { database, meilisearch } = backing;
  if (meilisearch === null) return probesOf(backing);
  // Not required, because PostgreSQL answers searches without it.
  const search: Probe = {
    name: 'search',
    isNeeded: false,
    // Not its health check, which does not test the key.
    check: () => Promise.all(meilisearch.members.map(({ reader }) => reader.getRawIndexes({ limit: 1 }))),
    describe: (fault) => describeMeilisearch(database, fault),
  };
  return [...probesOf(backing), search];
}

async function describeMeilisearch(database: Backing['database'], fault: Error | null): Promise<object> {
  const { pending, refused, lagSeconds, indexes } = await meilisearchLag(database);
  const filling = indexes.flatMap(({ resource, filling: own }) => (own === null ? [] : [{ resource, ...own }]));
  const isReady = indexes.every((index) => index.isReady);
  const state = fault !== null ? (isKeyRefused(fault) ? 'key refused' : unreachable) : isReady ? 'ok' : 'filling';
  return {
    meilisearch: state,
    engine: state, // Former name.
    lag_seconds: Math.round(lagSeconds * 1000) / 1000,
    pending,
    refused,
    ...(filling.length > 0 && { filling }),
  };
}

function isKeyRefused(fault: Error): boolean {
  const status = refusalIn(fault)?.status;
  return status === 401 || status === 403;
}

/** A service behind this one, and why it is unavailable; null if it is available. */
type Asked = Readonly<{ probe: Probe; fault: Error | null }>;
export type Ask = () => Promise<readonly Asked[]>;

/**
 * Probes all services. The log reports once when a service becomes unavailable, with the reason, and when it is available
 * again.
 */
export function createAsk(probes: readonly Probe[], logger: Logger): Ask {
  const unavailable = new Set<Probe>();
  const logChange = (probe: Probe, fault: Error | null) => {
    const service = probe.name;
    if (fault === null && unavailable.delete(probe)) logger.info({ service }, 'a service is available again');
    if (fault === null || unavailable.has(probe)) return;
    unavailable.add(probe);
    const reported = { service, isNeeded: probe.isNeeded, reason: reasonOf(fault) };
    logger[probe.isNeeded ? 'error' : 'warn'](reported, 'a service is unavailable');
  };
  return () =>
    Promise.all(
      probes.map(async (probe) => {
        const fault = await waitAtMost(timeoutMs, probe.check()).then(
          () => null,
          (error: Error) => error,
        );
        logChange(probe, fault);
        return { probe, fault };
      }),
    );
}

/** The message of the root cause: clients wrap the errors of the network or of a server. */
function reasonOf(fault: Error): string {
  if (fault.cause instanceof Error) return reasonOf(fault.cause);
  const { message, code } = fault as NodeJS.ErrnoException;
  return message || (code ?? 'no answer');
}

const unreachable = 'unreachable';

/** Reply before the services have been probed. */
export const starting: Reply = {
  status: 503,
  body: { status: 'starting' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/** Reply while the process still answers requests but should get no new ones. */
const draining: Reply = {
  status: 503,
  body: { status: 'draining' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/**
 * Whether the service is ready for requests: lists each service behind this one by name, with 503 if a required one
 * is unavailable or the process is ending. A database that only refuses writes is reported, but does not make the
 * service unready: reads continue.
 */
export async function readiness(ask: Ask, isDraining: boolean): Promise<Reply> {
  if (isDraining) return draining;
  const asked = await ask();
  const states = await Promise.all(asked.map(stateOf));
  const isReady = asked.every(({ probe, fault }) => !probe.isNeeded || fault === null || fault instanceof Degraded);
  const services = Object.fromEntries(asked.map(({ probe: { name } }, index) => [name, states[index]]));
  return {
    status: isReady ? 200 : 503,
    body: { status: isReady ? 'ready' : 'not ready', ...services },
    headers: isReady ? uncached : { ...uncached, 'Retry-After': '5' },
  };
}

/** The state of a service, without addresses and reasons, because anyone may read it. */
async function stateOf({ probe, fault }: Asked): Promise<unknown> {
  const plain = fault === null ? 'ok' : fault instanceof Degraded ? fault.state : unreachable;
  if (probe.describe === undefined) return plain;
  // Without the database, no details are known.
  return waitAtMost(timeoutMs, probe.describe(fault)).catch(() => plain);
}
