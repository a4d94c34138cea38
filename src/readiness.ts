import type { Reply } from '../rest/index.ts';
import type { Probe } from './backing/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** Which services behind this one answer now. */
export async function askAll(probes: readonly Probe[]): Promise<ReadonlyMap<Probe, boolean>> {
  return new Map(await Promise.all(probes.map(async (probe) => [probe, await answers(probe)] as const)));
}

async function answers({ check }: Probe): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  try {
    return await Promise.race([check().then(() => true), overdue]);
  } catch {
    return false;
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
  const found = await askAll(probes);
  const isReady = probes.every((probe) => !probe.isNeeded || found.get(probe));
  const services = Object.fromEntries(
    probes.map((probe) => [probe.name, found.get(probe) === true ? 'ok' : 'unreachable']),
  );
  return {
    status: isReady ? 200 : 503,
    body: { status: isReady ? 'ready' : 'not ready', ...services },
    headers: isReady ? uncached : { ...uncached, 'Retry-After': '5' },
  };
}
