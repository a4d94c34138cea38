import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase } from '../src/backing/index.ts';
import { createLogger } from '../src/observability/logger.ts';
import { createApiKey, createTenant } from '../src/tenants/index.ts';
import { median, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import { makePictures as makePhotographs } from './analysis.ts';
import { makePictures as makeTiny } from './writing.ts';
import type { World } from './world.ts';

/** Elements of the storing load, for two tenants: only one worker at a time stores for a tenant. */
const stored = 20_000;
/** Elements before each measurement, enough for each worker to load its models. */
const warmUps = 24;
const rounds = 2;
/** Pictures to analyze: more than are analyzed during the measurement, so that no worker is ever idle. */
const pictures = 1_000;
/** Polled sparingly, because polling uses the cores as well. */
const pollMs = 200;

type Load = Readonly<{ elements: number; environment: Record<string, string>; names: readonly string[] }>;

/**
 * The same load for one worker process and for two, each with its own core and analysis thread, as if on single-core
 * machines: otherwise a single worker would decode on the other core. They share the database, which uses the same
 * cores. For comparison, the figures include what the analyzers alone gain from two processes.
 */
export async function benchWorkers(world: World, seconds = 60): Promise<void> {
  const cores = `${availableParallelism()} cores for workers, PostgreSQL and the process that answers`;
  const photographs = await makePhotographs(world);
  const keys = [world.key, await keyOfAnother(world)];
  const api = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], { ...world.environment, ROLE: 'api' });
  const environment = { ...world.environment, WORKERS: '1', ROLE: 'worker' };

  const names = photographs.map((file) => basename(file));
  const analyzing = await oneAndTwoAtWork(api.url, world.key, { environment, names, seconds });
  const alone = await bareGain(photographs);
  show('pictures analyzed, two workers', analyzing, '≥ 1.8 ×', `bare ${alone}; ${cores}`);

  const tiny = await makeTiny(join(world.folder, 'media'));
  const storing = await oneAndTwo(api.url, keys, { environment, names: tiny, elements: stored });
  show(`${stored} tiny files of two tenants, two workers`, storing, '-', cores);
  await api.stop();
}

type Analyzing = Readonly<{ environment: Record<string, string>; names: readonly string[]; seconds: number }>;

/** Pictures per second of an analysis that one worker starts, and that another one joins and leaves again. */
async function oneAndTwoAtWork(
  url: string,
  key: string,
  { environment, names, seconds }: Analyzing,
): Promise<[number, number]> {
  const startWorker = (core: number) =>
    startServer(['bin/vitrine.js', 'serve', '--no-supervise'], { ...environment, AI_ANALYSIS: 'on' }, core);
  const operation = await post(url, key, batchOf({ names, elements: pictures }, 'seen'));
  const rate = async () => {
    const before = await ended(operation, 'analyze');
    while ((await ended(operation, 'analyze')) < before + warmUps) await sleep(pollMs);
    const [began, first] = [performance.now(), await ended(operation, 'analyze')];
    await sleep(seconds * 1000);
    return ((await ended(operation, 'analyze')) - first) / ((performance.now() - began) / 1000);
  };
  const stays = await startWorker(0);
  while ((await ended(operation, 'store')) < pictures) await sleep(pollMs);
  const before = await rate();
  const joins = await startWorker(1);
  const two = await rate();
  await joins.stop();
  const one = (before + (await rate())) / 2;
  await fetch(operation.address, { method: 'DELETE', headers: operation.headers });
  await stays.stop();
  return [one, two];
}

/** Elements per second of one worker, and of two on the same database. */
async function oneAndTwo(url: string, keys: readonly string[], load: Load): Promise<[number, number]> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const workers = [];
    for (const [index, list] of rates.entries()) {
      workers.push(await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], load.environment, index));
      await run(url, keys, { ...load, elements: warmUps }, `warm-${round}-${index}`);
      list.push(await run(url, keys, load, `round-${round}-${index}`));
    }
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  return [median(rates[0]), median(rates[1])];
}

function show(what: string, [one, two]: [number, number], target: string, figures: string): void {
  report(what, ratio(two, one), target, `${two.toFixed(1)}/s, one ${one.toFixed(1)}/s; ${figures}`);
}

async function keyOfAnother({ databaseUrl }: World): Promise<string> {
  const database = openDatabase({ url: databaseUrl, logger: createLogger('warn') });
  const { id: tenantId } = await createTenant(database, `bench-${process.pid}`);
  const { secret } = await createApiKey(database, { tenantId, name: 'bench', role: 'admin' });
  await database.close();
  return secret;
}

type Accepted = Readonly<{ address: string; headers: Record<string, string> }>;

function batchOf({ elements, names }: Pick<Load, 'elements' | 'names'>, tag: string): object[] {
  return Array.from({ length: elements }, (_, n) => ({ id: `${tag}-${n}`, src_path: names[n % names.length] }));
}

async function post(url: string, key: string, batch: readonly object[]): Promise<Accepted> {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/imgs`, { method: 'POST', headers, body: JSON.stringify(batch) });
  const { operation_id: id } = (await answer.json()) as { operation_id: number };
  return { address: `${url}/ops/${id}`, headers };
}

type Stage = Readonly<{ stage: string; num_good: number; num_bad: number }>;

async function look({ address, headers }: Accepted): Promise<Readonly<{ is_finished: boolean; stages: Stage[] }>> {
  return (await (await fetch(address, { headers })).json()) as { is_finished: boolean; stages: Stage[] };
}

/** Number of elements that have passed a stage. */
async function ended(operation: Accepted, stage: 'store' | 'analyze'): Promise<number> {
  const found = (await look(operation)).stages.find((each) => each.stage === stage);
  return (found?.num_good ?? 0) + (found?.num_bad ?? 0);
}

/** Sends a load in batches of at most 10 000, one per tenant; returns elements per second until all have ended. */
async function run(url: string, keys: readonly string[], { elements, names }: Load, tag: string): Promise<number> {
  const began = performance.now();
  await Promise.all(
    keys.map(async (key) => {
      const operation = await post(url, key, batchOf({ names, elements: elements / keys.length }, tag));
      while (!(await look(operation)).is_finished) await sleep(pollMs);
    }),
  );
  return elements / ((performance.now() - began) / 1000);
}

/** How much faster two processes run the analyzers than one, without a service: the gain that the machine allows. */
async function bareGain(files: readonly string[]): Promise<string> {
  const costs = async () => {
    const args = ['dist/bench/bare-analyzer.js', '2', ...files.slice(0, 4)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return (JSON.parse(stdout) as { mean: number }).mean;
  };
  const alone = await costs();
  const [first = alone, second = alone] = await Promise.all([costs(), costs()]);
  return ratio(2 * alone, (first + second) / 2);
}
