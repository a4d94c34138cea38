import { availableParallelism, totalmem } from 'node:os';
import process from 'node:process';
import { startServer } from '../processes.ts';
import { loadRecords } from '../searching/load.ts';
import { openWorld } from '../world.ts';
import { measures, rows } from './rows.ts';

const usual = [10_000, 100_000, 1_000_000];
/** Sizes that nothing is measured at. */
const beyond = [10_000_000, 50_000_000];

const mostPower = 1.5;

type Figures = Readonly<{ size: number; values: Readonly<Record<string, number>> }>;

/**
 * What catalogs of several sizes cost, as a table for docs/scale.md; and what larger ones would, if each row went on
 * growing as it did between the two largest sizes. `npm run bench -- scale 10000 100000 1000000`.
 */
export async function benchScale(sizes: readonly number[] = usual): Promise<void> {
  const measured: Figures[] = [];
  for (const size of sizes.toSorted((a, b) => a - b)) {
    measured.push(await measureAt(size));
    process.stdout.write(`${size} records: ${JSON.stringify(measured.at(-1)?.values)}\n`);
  }
  process.stdout.write(`\n${tableOf(measured).join('\n')}\n\n`);
  const memory = Math.round(totalmem() / 1e9);
  process.stdout.write(
    `${availableParallelism()} cores, ${memory} GB, Node ${process.version}. The last columns are extrapolated.\n`,
  );
}

async function measureAt(size: number): Promise<Figures> {
  const world = await openWorld(0);
  try {
    const loadSeconds = await loadRecords(world.databaseUrl, world.tenantId, size);
    const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
    const values: Record<string, number> = {};
    try {
      for (const measure of measures) Object.assign(values, await measure({ world, size, service, loadSeconds }));
    } finally {
      await service.stop();
    }
    return { size, values };
  } finally {
    await world.close();
  }
}

/** Lines of a table in Markdown. */
function tableOf(measured: readonly Figures[]): string[] {
  const head = ['what', ...measured.map(({ size }) => inWords(size)), 'grows', ...beyond.map((n) => `~ ${inWords(n)}`)];
  const lines = Object.entries(rows).map(([name, { what, unit, isOfEach }]) => {
    const values = measured.map(({ values: all }) => all[name]);
    const last = measured.at(-1);
    const known = last?.values[name];
    const power = known === undefined ? null : isOfEach ? 1 : powerOf(measured, name);
    const far = beyond.map((n) =>
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
