import type { Reply } from '../rest/index.ts';
import { probesOf } from './backing/index.ts';
import type { Backing, EngineClient, Probe } from './backing/index.ts';
import { engineLag } from './search/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** How to ask each service behind this one, the search engine among them. */
export function probesBehind(
  backing: Pick<Backing, 'database' | 'notifications' | 'queue' | 'engine'>,
): readonly Probe[] {
  const { database, engine } = backing;
  if (engine === null) return probesOf(backing);
  // Without it PostgreSQL answers, so nobody has to wait for it.
  const search: Probe = {
    name: 'search',
    isNeeded: false,
    check: () => engine.reader.health(),
    describe: () => describeEngine(database, engine),
  };
  return [...probesOf(backing), search];
}

async function describeEngine(database: Backing['database'], engine: EngineClient): Promise<object> {
  const [{ pending, refused, lagSeconds, indexes }, health] = await Promise.all([
    engineLag(database),
    engine.reader.health().catch(() => null),
  ]);
  const filling = indexes.flatMap(({ resource, filling: own }) => (own === null ? [] : [{ resource, ...own }]));
  return {
    engine: health === null ? 'unreachable' : indexes.every(({ isReady }) => isReady) ? 'ok' : 'filling',
    lag_seconds: Math.round(lagSeconds * 1000) / 1000,
    pending,
    refused,
    ...(filling.length > 0 && { filling }),
  };
}

/** Which services behind this one answer now. */
export async function askAll(probes: readonly Probe[]): Promise<ReadonlyMap<Probe, boolean>> {
  return new Map(
    await Promise.all(probes.map(async (probe) => [probe, (await soon(probe.check())) !== unreachable] as const)),
  );
}

const unreachable = 'unreachable';

async function soon<T>(asking: Promise<T>): Promise<T | typeof unreachable> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<typeof unreachable>((resolve) => {
    timer = setTimeout(() => resolve(unreachable), patienceMs);
  });
  try {
    return await Promise.race([asking, overdue]);
  } catch {
    return unreachable;
  } finally {
    clearTimeout(timer);
  }
}

/** Before anything is known of them. */
export const starting: Reply = {
  status: 503,
  body: { status: 'starting' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/** Told while the process takes requests that it should get no more of. */
const draining: Reply = {
  status: 503,
  body: { status: 'draining' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/**
 * Whether requests should be sent here now: each service behind this one by name, 503 when one that
 * is needed is away, or the process ends.
 */
export async function readiness(probes: readonly Probe[], isDraining: boolean): Promise<Reply> {
  if (isDraining) return draining;
  const states = await Promise.all(
    probes.map((probe) => soon<unknown>(probe.describe?.() ?? probe.check().then(() => 'ok'))),
  );
  const isReady = probes.every(({ isNeeded }, index) => !isNeeded || states[index] !== unreachable);
  const services = Object.fromEntries(probes.map(({ name }, index) => [name, states[index]]));
  return {
    status: isReady ? 200 : 503,
    body: { status: isReady ? 'ready' : 'not ready', ...services },
    headers: isReady ? uncached : { ...uncached, 'Retry-After': '5' },
  };
}
