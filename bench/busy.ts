import { Agent } from 'node:http';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getOnce, median, percentile, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import { makePictures as makePhotographs } from './analysis.ts';
import { makePictures as makeTiny } from './writing.ts';
import type { World } from './world.ts';

const elements = 10_000;
/** Number of users who search, and the pause of each after a reply. */
const clients = 4;
const pauseMs = 50;
const idleMs = 8_000;
/** How long to measure an analysis that would take an hour. */
const analysisMs = 15_000;
const rounds = 3;

/** Words with filters, ranges, pages by date and by relevance, counts and facets: a few to thousands of hits each. */
const searches = [
  'q=word17+country:"Country 3"',
  'q=country:"Country 7"&count=true',
  'q=keywords:word44+date:2004..2012&sort_by=date&sort_order=desc',
  'q=city:"City 12"+-status:archived&count=true&facets=author',
  'q=width:3900..+has:caption+author:"Author 63"',
  'q=word8999&sort_by=date',
] as const;

/**
 * Searches of an idle catalog, and searches while the same process first stores and then analyzes a batch of 10 000.
 */
export async function benchBusy(world: World): Promise<void> {
  const tiny = await makeTiny(join(world.folder, 'media'));
  const photographs = (await makePhotographs(world)).map((file) => basename(file));
  const parts = [
    { what: 'stored', environment: { AI_ANALYSIS: 'off' }, names: tiny, mostMs: Infinity },
    { what: 'analyzed', environment: { AI_ANALYSIS: 'on' }, names: photographs, mostMs: analysisMs },
  ];
  for (const { what, environment, names, mostMs } of parts) {
    const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], {
      ...world.environment,
      ...environment,
    });
    const ask = { url: service.url, key: world.key };
    await searchWhile(ask, sleep(idleMs / 2));
    const times = { idle: [] as number[], busy: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.idle.push(...(await searchWhile(ask, sleep(idleMs))));
      const batch = batchOf(names, `${what}-${round}`);
      times.busy.push(...(await searchWhile(ask, write(ask, batch, mostMs))));
    }
    await service.stop();
    show(what, times);
  }
}

function show(what: string, { idle, busy }: Readonly<Record<'idle' | 'busy', readonly number[]>>): void {
  const [p95, before] = [percentile(busy, 0.95), percentile(idle, 0.95)];
  const figures = `${p95.toFixed(1)} ms, idle ${before.toFixed(1)} ms; median ${median(busy).toFixed(1)} and ${median(idle).toFixed(1)} ms; ${busy.length} searches, ${availableParallelism()} cores`;
  report(`search p95 while 10 000 are ${what}`, ratio(p95, before), '≤ 2 ×', figures);
}

/** A service to query, and the key to use. */
export type Ask = Readonly<{ url: string; key: string }>;

/** Milliseconds of searches until the work has ended. */
export async function searchWhile(ask: Ask, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  const agent = new Agent({ keepAlive: true });
  const search = async (client: number) => {
    for (let n = client; !isOver; n += 1) {
      const began = performance.now();
      await getOnce(`${ask.url}/imgs?limit=50&${encodeURI(searches[n % searches.length] ?? '')}`, ask.key, agent);
      if (!isOver) times.push(performance.now() - began);
      await sleep(pauseMs);
    }
  };
  await Promise.all([ended, ...Array.from({ length: clients }, (_, client) => search(client))]);
  agent.destroy();
  return times;
}

function batchOf(names: readonly string[], tag: string): object[] {
  const nameOf = (n: number) => names[n % names.length];
  return Array.from({ length: elements }, (_, n) => ({ id: `${tag}-${n}`, src_path: nameOf(n), title: `Busy ${n}` }));
}

/** Sends a batch and waits until it has ended; after `mostMs` it is aborted. */
export async function write({ url, key }: Ask, batch: readonly object[], mostMs: number): Promise<void> {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/imgs`, { method: 'POST', headers, body: JSON.stringify(batch) });
  const { operation_id: id } = (await answer.json()) as { operation_id: number };
  const end = performance.now() + mostMs;
  for (;;) {
    await sleep(50);
    const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as { is_finished: boolean };
    if (record.is_finished) return;
    if (performance.now() > end) await fetch(`${url}/ops/${id}`, { method: 'DELETE', headers });
  }
}
