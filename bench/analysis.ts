import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { basename, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { findOnnxLibrary } from '../src/analysis/onnx/find-library.ts';
import { analysisFlags, backendOf } from '../src/analysis/process/flags.ts';
import { getOnce, median, percentile, ratio, report } from './measure.ts';
import { largestChildMiB, residentWithChildrenMiB, startServer } from './processes.ts';
import type { RunningServer } from './processes.ts';
import type { World } from './world.ts';

const tags = 15;
const warmUps = 3;
const bareRounds = 8;
const workers = 2;
const seconds = 6;
const connections = 4;
/** Pictures of a catalog that are analyzed before readers are timed. */
const warmPictures = 120;
const megapixel = { width: 1224, height: 816 } as const;

/** The analyzers that each call uses, for its baseline. */
const withoutOcr = ['decode', 'colors', 'faces', 'objects', 'embedded', 'concepts', 'caption'] as const;
const outputs = ['caption', 'keywords', 'colors'] as const;

/** Milliseconds of each analyzer, of all together per picture, and of processor time of all threads per picture. */
type Costs = Readonly<
  Record<'medians' | 'means', Readonly<Record<string, number>>> & { mean: number; processorMs: number }
>;

/** Targets for pictures of a megapixel on two cores. */
const targets = {
  processorMs: { plain: 250, text: 450 },
  tagMs: { plain: 150, text: 280 },
  perMinute: 220,
  memoryMiB: 700,
} as const;

/** What runs the networks: its name in the tables, and its program. */
type Runtime = Readonly<{ name: string; program: string | null }>;

/**
 * Tagging of single pictures, analysis of many, and its effect on readers, compared with running the same analyzers
 * one after the other without a service. `npm run bench -- analysis 2000` analyzes this many pictures and prints the
 * memory of the process along the way. Networks run on WebAssembly, then on ONNX Runtime if this system has it.
 */
export async function benchAnalysisProcess(world: World, pictures = 300): Promise<void> {
  const files = await makePictures(world);
  const lines = await addLines(files, join(world.folder, 'lines'));
  const program = findOnnxLibrary();
  await benchRuntime(world, { files, lines, pictures }, { name: 'WebAssembly', program: null });
  if (program === null) process.stdout.write('ONNX Runtime: skipped: this system has no library of it\n');
  else await benchRuntime(world, { files, lines, pictures }, { name: 'ONNX Runtime', program });
}

type Pictures = Readonly<{ files: readonly string[]; lines: readonly string[]; pictures: number }>;

async function benchRuntime(world: World, { files, lines, pictures }: Pictures, runtime: Runtime): Promise<void> {
  process.stdout.write(`\nNetworks run by ${runtime.name}\n`);
  const { medians: bare, means, processorMs } = await bareCosts(files, runtime);
  const withLines = await bareCosts(lines, runtime);
  reportProcessor('no text', processorMs, targets.processorMs.plain);
  reportProcessor('three lines of text', withLines.processorMs, targets.processorMs.text);
  process.stdout.write(`mean of each analyzer, no text: ${listed(means)}\n`);
  const beside = await Promise.all(Array.from({ length: workers }, () => bareCosts(files, runtime)));
  const barePerSecond = sumOfAll(beside.map(({ mean }) => 1000 / mean));
  const environment = {
    ...world.environment,
    AI_ANALYSIS: 'on',
    AI_RUNTIME: runtime.program === null ? 'wasm' : 'auto',
    WORKERS: String(workers),
  };
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment);
  for (const ocr of [false, true]) {
    const times = await timeTags(service, world.key, files, ocr);
    const alone = sumOf(bare, ocr ? [...withoutOcr, 'ocr'] : withoutOcr);
    const figures = `${ratio(median(times), alone)} the analyzers one by one (${Math.round(alone)} ms)`;
    const what = `POST /tag/image, 1 megapixel, ${ocr ? 'with' : 'without'} OCR, p50`;
    report(what, `${Math.round(median(times))} ms`, `≤ ${targets.tagMs[ocr ? 'text' : 'plain']} ms`, figures);
  }
  await benchAnalysis(service, world, { pictures, barePerSecond, prefix: runtime.program === null ? 'wasm' : 'onnx' });
  await service.stop();
}

/** Photographs of the examples, resized to a megapixel. */
export async function makePictures({ folder }: World): Promise<string[]> {
  const from = join('examples', 'pictures');
  const media = join(folder, 'media');
  mkdirSync(media, { recursive: true });
  const names = readdirSync(from).filter((name) => name.endsWith('.jpg'));
  for (const name of names) {
    const picture = sharp(join(from, name)).resize(megapixel.width, megapixel.height, { fit: 'cover' });
    await picture.jpeg({ quality: 90 }).toFile(join(media, name));
  }
  return names.map((name) => join(media, name));
}

/** The same pictures with three lines of dark text on a light background. */
async function addLines(files: readonly string[], folder: string): Promise<string[]> {
  const lines = ['The harbor of Nagasaki at noon', 'Photograph by A. Lange, 1936', 'Archive number 20 471, box 12'];
  const texts = lines.map(
    (line, i) => `<text x="40" y="${60 + 60 * i}" font-size="40" font-family="sans-serif">${line}</text>`,
  );
  const strip = `<svg width="${megapixel.width}" height="220"><rect width="100%" height="100%" fill="#eee"/>${texts.join('')}</svg>`;
  mkdirSync(folder, { recursive: true });
  const made = files.map(async (file) => {
    const place = join(folder, basename(file));
    await sharp(file).composite([{ input: Buffer.from(strip), gravity: 'south' }]).jpeg({ quality: 90 }).toFile(place); // prettier-ignore
    return place;
  });
  return await Promise.all(made);
}

function reportProcessor(which: string, ms: number, target: number): void {
  report(`processor time of a megapixel, all analyzers, ${which}`, `${Math.round(ms)} ms`, `≤ ${target} ms`, '');
}

async function bareCosts(files: readonly string[], { program }: Runtime): Promise<Costs> {
  const args = [
    ...analysisFlags(backendOf(program)),
    'dist/bench/bare-analyzer.js',
    String(bareRounds),
    program ?? '',
    ...files,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 20 });
  return JSON.parse(stdout) as Costs;
}

function listed(costs: Costs['means']): string {
  const largest = Object.entries(costs).toSorted(([, a], [, b]) => b - a);
  return largest.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(', ');
}

const sumOfAll = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const sumOf = (costs: Costs['medians'], names: readonly string[]) => sumOfAll(names.map((name) => costs[name] ?? 0));

async function timeTags(
  { url }: RunningServer,
  key: string,
  files: readonly string[],
  ocr: boolean,
): Promise<number[]> {
  const times: number[] = [];
  for (let i = -warmUps; i < tags; i += 1) {
    const form = new FormData();
    form.append('image', new Blob([readFileSync(files[Math.abs(i) % files.length] ?? '')]), 'picture.jpg');
    for (const output of outputs) form.append(output, 'true');
    form.append('ocr', String(ocr));
    const began = performance.now();
    const answer = await fetch(`${url}/tag/image`, { method: 'POST', headers: { 'API-Key': key }, body: form });
    if (answer.status !== 200) throw new Error(`tagging was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
    if (i >= 0) times.push(performance.now() - began);
  }
  return times;
}

type Analyzing = Readonly<{
  pictures: number;
  /** Pictures per second that this many processes analyze in parallel without a service. */
  barePerSecond: number;
  /** Prefix of the ids of stored records. */
  prefix: string;
}>;

/** Readers during a saturated analysis, the speed of the analysis, and the memory of the process. */
async function benchAnalysis(
  service: RunningServer,
  world: World,
  { pictures, barePerSecond, prefix }: Analyzing,
): Promise<void> {
  const headers = { 'API-Key': world.key, 'Content-Type': 'application/json' };
  await readTimes(service, world.key);
  const idle = percentile(await readTimes(service, world.key), 0.99);
  const besideLoops = percentile(await readBesideLoops(service, world.key), 0.99);
  const names = readdirSync(join(world.folder, 'media')).filter((name) => name.endsWith('.jpg'));
  const accepted: number[] = [];
  for (let first = 0; first < pictures; first += 1000) {
    const elements = Array.from({ length: Math.min(1000, pictures - first) }, (_, i) => ({
      id: `${prefix}-${first + i}`,
      src_path: names[(first + i) % names.length],
    }));
    const answer = await fetch(`${service.url}/imgs`, { method: 'POST', headers, body: JSON.stringify(elements) });
    accepted.push(((await answer.json()) as { operation_id: number }).operation_id);
  }
  // By then, models are loaded and compiled, and so is the code that stores results.
  while ((await analyzed(service, headers, accepted)) < Math.min(warmPictures, pictures >> 1)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const times = await readTimes(service, world.key);
  const busy = percentile(times, 0.99);
  const figures = `${busy.toFixed(1)} ms, idle ${idle.toFixed(1)} ms, beside two loops of that priority ${besideLoops.toFixed(1)} ms; median ${median(times).toFixed(1)} ms`;
  report('GET /imgs/{id} p99 while pictures are analyzed', ratio(busy, idle), '≤ 1.5 ×', figures);

  // From here on, the analysis has the machine to itself.
  const [began, before] = [performance.now(), await analyzed(service, headers, accepted)];
  const curve: string[] = [];
  let mostMiB = 0;
  for (let done = 0; done < pictures;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    done = await analyzed(service, headers, accepted);
    mostMiB = Math.max(mostMiB, largestChildMiB(service.pid));
    if (done >= ((curve.length + 1) * pictures) / 10) curve.push(`${done}: ${residentWithChildrenMiB(service.pid)}`);
  }
  const perSecond = (pictures - before) / ((performance.now() - began) / 1000);
  report(
    `analysis of ${pictures} pictures with ${workers} workers`,
    ratio(perSecond, barePerSecond),
    '≥ 0.85 ×',
    `${perSecond.toFixed(2)}/s, as many bare processes ${barePerSecond.toFixed(2)}/s`,
  );
  report('pictures a minute', String(Math.round(perSecond * 60)), `≥ ${targets.perMinute}`, `${workers} workers`);
  report('memory of the analysis process, at most', `${mostMiB} MiB`, `≤ ${targets.memoryMiB} MiB`, '');
  report(
    'resident memory with that of the analysis process, MiB by pictures analyzed',
    curve.at(-1)?.split(' ')[1] ?? '',
    'flat',
    curve.join(', '),
  );
}

/**
 * The same next to two busy loops instead of an analysis: Linux gives even the lowest priority a hundredth of a
 * processor, in slices of 4 ms.
 */
async function readBesideLoops(service: RunningServer, key: string): Promise<number[]> {
  const loops = spawn(process.execPath, ['dist/bench/idle-loop.js', String(seconds + 2)], {
    detached: true,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => loops.once('close', resolve));
  await delay(1000);
  const times = await readTimes(service, key);
  await ended;
  return times;
}

/**
 * Milliseconds of requests for single records, which several connections send one after the other for a few seconds.
 */
async function readTimes({ url }: RunningServer, key: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const readOn = async () => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      await getOnce(`${url}/imgs/image-${1 + (times.length % 200)}`, key, agent);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, readOn));
  agent.destroy();
  return times;
}

async function analyzed(
  { url }: RunningServer,
  headers: Record<string, string>,
  operations: readonly number[],
): Promise<number> {
  const counts = operations.map(async (id) => {
    const answer = await fetch(`${url}/ops/${id}`, { headers });
    const { stages } = (await answer.json()) as { stages: { stage: string; num_good: number; num_bad: number }[] };
    const analyzed = stages.find(({ stage }) => stage === 'analyze');
    return (analyzed?.num_good ?? 0) + (analyzed?.num_bad ?? 0);
  });
  return sumOfAll(await Promise.all(counts));
}
