import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startServer } from '../processes.ts';
import { loadRecords } from '../searching/load.ts';
import { openWorld } from '../world.ts';
import { isPart, measures, rows } from './rows.ts';
import type { Part } from './rows.ts';

const usual = [10_000, 100_000, 1_000_000];
/** Sizes that are extrapolated unless they are measured. */
const beyond = [10_000_000, 50_000_000];

const mostPower = 1.5;

type Figures = Readonly<{ size: number; values: Readonly<Record<string, number>> }>;

/**
 * What catalogs of several sizes cost, as a table for docs/scale.md; and what larger ones would, if each row went on
 * growing as it did between the two largest sizes. `npm run bench -- scale 10000 100000 1000000`; names of parts behind
 * the sizes leave out the others. With BENCH_KEEP, a folder, catalogs stay in it and are not loaded again.
 *
 * @throws RangeError of an argument that is neither a size nor a part.
 */
export async function benchScale(chosen: readonly string[]): Promise<void> {
  const numbers = chosen.map(Number).filter((size) => size > 0);
  const sizes = numbers.length > 0 ? numbers : usual;
  const names = chosen.filter((name) => !(Number(name) > 0));
  const parts = names.filter(isPart);
  const unknown = names.find((name) => !isPart(name));
  if (unknown !== undefined) throw new RangeError(`'${unknown}' is no part: ${Object.keys(measures).join(', ')}`);
  const measured: Figures[] = [];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    measured.push(await measureAt(size, parts));
    process.stdout.write(`${size} records: ${JSON.stringify(measured.at(-1)?.values)}\n`);
  }
  process.stdout.write(`\n${tableOf(measured).join('\n')}\n\n`);
  const memory = Math.round(totalmem() / 1e9);
  process.stdout.write(
    `${availableParallelism()} cores, ${memory} GB, Node ${process.version}. The last columns are extrapolated.\n`,
  );
}

/** Of the PostgreSQL that loads: what is lost in a crash is loaded again. */
const loading = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=8GB'];

/** @param parts all if it is empty. */
async function measureAt(size: number, parts: readonly Part[]): Promise<Figures> {
  const kept = process.env['BENCH_KEEP'];
  const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'vitrine-scale-')) : join(kept, `${size}`);
  try {
    const loadSeconds = await load(folder, size);
    return { size, values: await measure({ folder, size, loadSeconds }, parts) };
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function load(folder: string, size: number): Promise<number> {
  const world = await openWorld(0, () => loading, folder);
  try {
    return await loadRecords(world.databaseUrl, world.tenantId, size);
  } finally {
    await world.close();
  }
}

type Loaded = Readonly<{ folder: string; size: number; loadSeconds: number }>;

async function measure(
  { folder, size, loadSeconds }: Loaded,
  parts: readonly Part[],
): Promise<Readonly<Record<string, number>>> {
  const world = await openWorld(0, undefined, folder);
  const values: Record<string, number> = {};
  try {
    const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
    try {
      for (const [name, part] of Object.entries(measures)) {
        if (parts.length > 0 && !parts.some((chosen) => chosen === name)) continue;
        Object.assign(values, await part({ world, size, service, loadSeconds }));
      }
    } finally {
      await service.stop();
    }
  } finally {
    await world.close();
  }
  return values;
}

/** Lines of a table in Markdown. */
function tableOf(measured: readonly Figures[]): string[] {
  const unmeasured = beyond.filter((n) => measured.every(({ size }) => size < n));
  const head = [
    'what',
    ...measured.map(({ size }) => inWords(size)),
    'grows',
    ...unmeasured.map((n) => `~ ${inWords(n)}`),
  ];
  const known = Object.entries(rows).filter(([name]) => measured.some(({ values }) => values[name] !== undefined));
  const lines = known.map(([name, { what, unit, isOfEach }]) => {
    const values = measured.map(({ values: all }) => all[name]);
    const last = measured.at(-1);
    const known = last?.values[name];
    const power = known === undefined ? null : isOfEach ? 1 : powerOf(measured, name);
    const far = unmeasured.map((n) =>
      power === null || last === undefined || known === undefined ? undefined : known * (n / last.size) ** power,
    );
    const grows = power === null ? '-' : `n^${power.toFixed(2)}`;
    return [`${what}`, ...values.map((value) => show(value, unit)), grows, ...far.map((value) => show(value, unit))];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

/**
 * How a row grew between the two largest catalogs, as a power of their size; never less than not at all. Nothing that
 * is measured here grows with the square, so what seems to is noise, and says nothing of other sizes.
 */
function powerOf(measured: readonly Figures[], name: string): number | null {
  const [small, large] = measured.slice(-2);
  const [a, b] = [small?.values[name], large?.values[name]];
  if (small === undefined || large === undefined || a === undefined || b === undefined) return null;
  const power = Math.max(0, Math.log(b / a) / Math.log(large.size / small.size));
  return power > mostPower ? null : power;
}

function show(value: number | undefined, unit: string): string {
  if (value === undefined) return '-';
  if (unit === 'ms' && value >= 10_000) return show(value / 1000, 's');
  if (unit === 'MB' && value >= 10_000) return show(value / 1000, 'GB');
  if (unit === 's' && value >= 7200) return show(value / 3600, 'h');
  return `${value >= 10 ? Math.round(value) : value.toPrecision(2)} ${unit}`;
}

function inWords(size: number): string {
  return size >= 1_000_000 ? `${size / 1_000_000} M` : `${size / 1000} k`;
}
