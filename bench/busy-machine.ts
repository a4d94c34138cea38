import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import type { RunningServer } from './processes.ts';
import { makePictures } from './analysis.ts';
import type { World } from './world.ts';

const busyProcesses = 8;
const workers = 2;
const tags = 10;
const warmUps = 2;
/** How long to count analyzed pictures. */
const countedMs = 15_000;
const rounds = 2;

/**
 * Tagging and analysis next to processes that compete for all processors: each compared with the same service on an
 * idle machine, alternating. A fair share is that of as many threads as there are workers, among the threads of the
 * others. With `sessions`, each competing process has its own session; Linux may divide the processors among
 * sessions.
 */
export async function benchBusyMachine(world: World, sessions = false): Promise<void> {
  const files = await makePictures(world);
  const environment = { ...world.environment, AI_ANALYSIS: 'on', WORKERS: String(workers) };
  const service = await startServer(['bin/vitrine.js', 'serve'], environment);
  const measured = { tags: { rest: [] as number[], busy: [] as number[] }, rates: { rest: [] as number[], busy: [] as number[] } }; // prettier-ignore
  for (let round = 0; round < rounds; round += 1) {
    for (const state of ['rest', 'busy'] as const) {
      const others = state === 'busy' ? Array.from({ length: busyProcesses }, () => spin(sessions)) : [];
      measured.tags[state].push(...(await timeTags(service, world.key, files)));
      const names = files.map((file) => basename(file));
      measured.rates[state].push(await analysisRate(service, world.key, names, `${state}-${round}`));
      for (const other of others) other.kill('SIGKILL');
    }
  }
  await service.stop();
  const cores = availableParallelism();
  const fair = Math.max(1, (busyProcesses + workers) / cores);
  const [slow, quick] = [median(measured.tags.busy), median(measured.tags.rest)];
  const beside = `beside ${busyProcesses} busy processes on ${cores} cores`;
  report(`POST /tag/image, median, ${beside}`, ratio(slow, quick), `≤ ${(fair * 1.2).toFixed(1)} ×`, `${Math.round(slow)} ms, at rest ${Math.round(quick)} ms`); // prettier-ignore
  const [less, more] = [median(measured.rates.busy), median(measured.rates.rest)];
  report(`analysis of stored pictures, ${beside}`, ratio(less, more), `≥ ${(1 / fair).toFixed(2)} × (fair share)`, `${less.toFixed(2)}/s, at rest ${more.toFixed(2)}/s`); // prettier-ignore
}

/** A process that keeps one processor busy. */
function spin(isSession: boolean): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: isSession });
}

/** Milliseconds of tagging one picture after the other, with models loaded. */
async function timeTags({ url }: RunningServer, key: string, files: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let i = -warmUps; i < tags; i += 1) {
    const form = new FormData();
    form.append('image', new Blob([readFileSync(files[Math.abs(i) % files.length] ?? '')]), 'picture.jpg');
    for (const output of ['caption', 'keywords', 'colors']) form.append(output, 'true');
    const began = performance.now();
    const answer = await fetch(`${url}/tag/image`, { method: 'POST', headers: { 'API-Key': key }, body: form });
    if (answer.status !== 200) throw new Error(`tagging was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
    if (i >= 0) times.push(performance.now() - began);
  }
  return times;
}

/** Stored pictures that are analyzed per second, with models loaded; the rest of them are dropped. */
async function analysisRate(
  { url }: RunningServer,
  key: string,
  names: readonly string[],
  prefix: string,
): Promise<number> {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const elements = Array.from({ length: 400 }, (_, i) => ({ id: `${prefix}-${i}`, src_path: names[i % names.length] }));
  const accepted = await fetch(`${url}/imgs`, { method: 'POST', headers, body: JSON.stringify(elements) });
  const { operation_id: id } = (await accepted.json()) as { operation_id: number };
  const analyzed = async () => {
    const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as Operation;
    return record.stages[1]?.num_good ?? 0;
  };
  while ((await analyzed()) < workers * 4) await sleep(100);
  const [began, before] = [performance.now(), await analyzed()];
  await sleep(countedMs);
  const rate = ((await analyzed()) - before) / ((performance.now() - began) / 1000);
  await fetch(`${url}/ops/${id}`, { method: 'DELETE', headers });
  await sleep(1_000);
  return rate;
}

type Operation = Readonly<{ stages: readonly { num_good: number }[] }>;
