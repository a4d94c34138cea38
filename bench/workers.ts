import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase } from '../src/backing/index.ts';
import { createLogger } from '../src/logger.ts';
import { createApiKey, createTenant } from '../src/tenants/index.ts';
import { median, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import { makePictures as makePhotographs } from './seeing.ts';
import { makePictures as makeTiny } from './writing.ts';
import type { World } from './world.ts';

/** Elements of the storing load, of two tenants: one worker at a time stores for a tenant. */
const stored = 20_000;
/** Elements before each measurement, enough for each worker to load its models. */
const warmUps = 24;
const rounds = 2;

type Load = Readonly<{ elements: number; environment: Record<string, string>; names: readonly string[] }>;

/**
 * The same load for one worker process and for two, each with a core and a thread of analysis of its own, as if on
 * machines of one core: a worker alone would decode on the other one. They share the database, which takes its part
 * of the same cores. Beside it is what the analysers alone gain in two processes.
 */
export async function benchWorkers(world: World, pictures = 96): Promise<void> {
  const cores = `${availableParallelism()} cores for workers, PostgreSQL and the process that answers`;
  const photographs = await makePhotographs(world);
  const keys = [world.key, await keyOfAnother(world)];
  const api = await startServer(['bin/vitrine.js', 'serve'], { ...world.environment, ROLE: 'api' });
  const environment = { ...world.environment, WORKERS: '1', ROLE: 'worker' };

  const seen = { environment: { ...environment, AI_ANALYSIS: 'on' }, names: photographs.map((file) => basename(file)) };
  const analysing = await oneAndTwo(api.url, keys.slice(0, 1), { ...seen, elements: pictures });
  const alone = await bareGain(photographs);
  show(`analysis of ${pictures} pictures, two workers`, analysing, '≥ 1.8 ×', `bare ${alone}; ${cores}`);

  const names = await makeTiny(join(world.folder, 'media'));
  const storing = await oneAndTwo(api.url, keys, { environment, names, elements: stored });
  show(`${stored} tiny files of two tenants, two workers`, storing, '-', cores);
  await api.stop();
}

/** Elements per second of one worker, and of two on the same database. */
async function oneAndTwo(url: string, keys: readonly string[], load: Load): Promise<[number, number]> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const workers = [];
    for (const [index, list] of rates.entries()) {
      workers.push(await startServer(['bin/vitrine.js', 'serve'], load.environment, index));
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

/** Sends a load in batches of at most 10 000, a tenant each; returns elements per second until all have ended. */
async function run(url: string, keys: readonly string[], { elements, names }: Load, tag: string): Promise<number> {
  const began = performance.now();
  const each = elements / keys.length;
  await Promise.all(
    keys.map(async (key) => {
      const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
      const batch = Array.from({ length: each }, (_, n) => ({ id: `${tag}-${n}`, src_path: names[n % names.length] }));
      const answer = await fetch(`${url}/imgs`, { method: 'POST', headers, body: JSON.stringify(batch) });
      const { operation_id: id } = (await answer.json()) as { operation_id: number };
      for (;;) {
        const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as Record<string, unknown>;
        if (record['is_finished'] === true) break;
        await sleep(20);
      }
    }),
  );
  return elements / ((performance.now() - began) / 1000);
}

/** How much faster two processes run the analysers than one, without a service: what the machine allows. */
async function bareGain(files: readonly string[]): Promise<string> {
  const costs = async () => {
    const args = ['dist/bench/bare-sight.js', '2', ...files.slice(0, 4)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return (JSON.parse(stdout) as { mean: number }).mean;
  };
  const alone = await costs();
  const [first = alone, second = alone] = await Promise.all([costs(), costs()]);
  return ratio(2 * alone, (first + second) / 2);
}
