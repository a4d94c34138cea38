// The parts of an attack: the quiet tenant alone, each shape by itself, sieges, everything mixed.
import { percentile } from '../bench/measure.ts';
import type { Target } from './exchange.ts';
import type { Attacker, Quiet } from './helpers.ts';
import type { MemoryWatch } from './memory.ts';
import type { Job, Measured, Tally } from './messages.ts';
import type { Notes } from './notes.ts';
import { settle } from './prepare.ts';
import type { QuietFigures, Siege, Solo } from './report.ts';
import type { Service } from './service.ts';
import { shapes } from './shapes/index.ts';
import type { World } from './world.ts';

export type AttackOptions = Readonly<{
  seed: number;
  /** Shapes to play; null for all. */
  names: readonly string[] | null;
  /** Number of the exchange that is played again, with its changes of speed, reader and ending; null for the plain shape. */
  number: number | null;
  /** Exchanges of the mixed attack, which ends after so many milliseconds, complete or not. */
  count: number;
  mixedMs: number;
  /** Exchanges of it that cost much by themselves, at the same time. */
  heavy: number;
  /** Records of each tenant. */
  records: number;
  /** How long the quiet tenant is measured alone and in each siege; 0 for not at all. */
  quietMs: number;
  hasSolos: boolean;
  /** Loads all models before memory at rest is measured; needless where memory is not judged. */
  warmsUp: boolean;
  /** Kinds of attack, each by many connections at once, beside which the quiet tenant is measured. */
  sieges: readonly string[];
  /** Ends the attack early. */
  stop: AbortSignal;
  say(line: string): void;
}>;

/** What the parts of an attack work with. */
export type Parts = Readonly<{
  options: AttackOptions;
  world: World;
  service: Service;
  notes: Notes;
  memory: MemoryWatch;
  attacker: Attacker;
  quiet: Quiet;
  target: Target;
}>;

/** A block that is measured again, in milliseconds. */
const longBlockMs = 100;
const mixedLanes = { quick: 12, slow: 40 } as const;
const siegeConnections = 12;
/** A shape that takes longer is reported while it is played. */
const slowSoloMs = 5_000;
/** The quiet tenant is measured in spells of so long. */
const spellMs = 10_000;
const tellEveryMs = 30_000;

/** The quiet tenant beside an attacker that waits; a first time warms up what it asks for. */
export async function measureAlone(parts: Parts): Promise<QuietFigures | null> {
  const { quietMs, say } = parts.options;
  if (quietMs === 0) return null;
  say(`the quiet tenant alone, ${quietMs / 1000} s, beside an attacker that waits`);
  await measureQuiet(parts, quietMs / 2);
  return toFigures([await measureQuiet(parts, quietMs)]);
}

/** Each shape by itself, on a service that does nothing else. */
export async function playSolos(parts: Parts): Promise<Solo[]> {
  const { names, hasSolos, say } = parts.options;
  const chosen = hasSolos ? shapes.filter(({ name }) => names === null || names.includes(name)) : [];
  if (chosen.length > 0) say(`${chosen.length} shapes, one after the other`);
  const solos: Solo[] = [];
  for (const { name } of chosen) {
    const first = await playSolo(parts, name);
    const isLong = first.blockMs > longBlockMs && !first.isDeadly;
    // Collecting garbage can coincide with anything; what a request does by itself, it does again.
    const again = isLong ? [await playSolo(parts, name), await playSolo(parts, name)] : [];
    const blocks = [first, ...again].map(({ blockMs }) => blockMs).toSorted((a, b) => a - b);
    const solo = { ...first, blockMs: blocks[Math.floor(blocks.length / 2)] ?? 0 };
    solos.push(solo);
    if (isLong || solo.isDeadly) say(`  ${solo.isDeadly ? 'DIED' : `${blocks.join(', ')} ms`}  ${name}`);
  }
  return solos;
}

async function playSolo(parts: Parts, name: string): Promise<Solo> {
  const { number } = parts.options;
  const { notes, memory, attacker, service } = parts;
  await service.ready();
  const [before, deaths] = [memory.now(), service.deaths.length];
  notes.takeBlocks();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, memory.now())), 50);
  const reported = setTimeout(() => parts.options.say(`  still playing  ${name}`), slowSoloMs);
  const [tally] = await attacker.play(
    jobOf(parts, { names: [name], inOrder: true, from: number ?? 0, isTwisted: number !== null }),
  );
  await settle(parts.target);
  clearInterval(watch);
  clearTimeout(reported);
  if (tally === undefined) throw new Error(`no shape is named '${name}'`);
  const blockMs = Math.max(0, ...notes.takeBlocks().map(({ ms }) => ms));
  return { name, blockMs, memoryMiB: Math.max(0, peak - before), isDeadly: service.deaths.length > deaths, tally };
}

/** One kind of attack by many connections at once, as long as the quiet tenant needs to measure it. */
export async function playSieges(parts: Parts): Promise<Siege[]> {
  const { options, attacker, service, notes, memory } = parts;
  const { sieges } = options;
  if (sieges.length === 0) return [];
  options.say(`${sieges.length} sieges of ${options.quietMs / 1000} s by ${siegeConnections} connections`);
  const found: Siege[] = [];
  for (const name of sieges) {
    await service.ready();
    const lanes = { quick: siegeConnections, slow: siegeConnections, heavy: siegeConnections };
    const job = jobOf(parts, { names: [name], inOrder: true, count: 1e6, lanes, ms: options.quietMs });
    notes.takeBlocks();
    const before = memory.now();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, memory.now())), 50);
    const [measured] = await Promise.all([measureQuiet(parts, options.quietMs), attacker.play(job)]);
    clearInterval(watch);
    const blocks = notes.takeBlocks().map(({ ms }) => ms);
    const figures = toFigures([measured]);
    found.push({ name, ...figures });
    const times = `reads ${figures.reads.toFixed(0)} ms, tag ${figures.tags.toFixed(0)} ms`;
    const causes = `${blocks.length} blocks up to ${Math.max(0, ...blocks)} ms, ${Math.round(peak - before)} MiB more`;
    options.say(`  ${times}; ${causes}  ${name}`);
    await settle(parts.target);
  }
  return found;
}

/** All shapes at the same time, each as often as its weight says, with speeds, readers and endings changed. */
export async function playMixed(parts: Parts): Promise<{ tallies: Tally[]; mixed: QuietFigures | null }> {
  const { options, attacker, service } = parts;
  const { count, names, mixedMs: ms, quietMs, say } = options;
  if (count === 0) return { tallies: [], mixed: null };
  await service.ready();
  say(`${count} exchanges, mixed`);
  const state = { toldAt: Date.now(), isOver: false };
  const onProgress = (done: number) => {
    if (Date.now() - state.toldAt < tellEveryMs) return;
    state.toldAt = Date.now();
    say(`  ${done} of ${count}`);
  };
  const job = jobOf(parts, { names, isTwisted: true, count, lanes: { ...mixedLanes, heavy: options.heavy }, ms });
  const playing = attacker.play(job, onProgress).finally(() => (state.isOver = true));
  const spells: Measured[] = [];
  while (quietMs > 0 && !state.isOver) spells.push(await measureQuiet(parts, spellMs));
  return { tallies: await playing, mixed: spells.length === 0 ? null : toFigures(spells) };
}

/** Each of the named shapes once, several at a time. */
export async function playEach(parts: Parts, names: readonly string[]): Promise<Tally[]> {
  parts.options.say(`${names.length} shapes, each once`);
  const lanes = { quick: 4, slow: 20, heavy: 3 };
  return parts.attacker.play(jobOf(parts, { names, inOrder: true, count: names.length, lanes }));
}

function jobOf({ options: { seed }, target }: Parts, changes: Partial<Job>): Job {
  const lanes = { quick: 1, slow: 1, heavy: 1 };
  const job = { target, seed, names: null, inOrder: false, isTwisted: false, from: 0, count: 1, lanes, ms: 600_000 };
  return { ...job, ...changes };
}

function measureQuiet({ quiet, service, world }: Parts, ms: number): Promise<Measured> {
  return quiet.measure({ port: service.port, key: world.quietKey, ms, picture: world.pictures.small });
}

function toFigures(spells: readonly Measured[]): QuietFigures {
  const [reads, tags] = [spells.flatMap((spell) => spell.reads), spells.flatMap((spell) => spell.tags)];
  const failures: Record<string, number> = {};
  for (const [what, count] of spells.flatMap((spell) => Object.entries(spell.failures))) {
    failures[what] = (failures[what] ?? 0) + count;
  }
  const p95 = (values: readonly number[]) => percentile(values, 0.95);
  return { reads: p95(reads), tags: p95(tags), numReads: reads.length, numTags: tags.length, failures };
}
