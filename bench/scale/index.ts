import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startServer } from '../processes.ts';
import { loadRecords } from '../searching/load.ts';
import { openWorld } from '../world.ts';
import { isPart, measures } from './measures.ts';
import type { Part } from './measures.ts';
import type { Figures } from './rows.ts';
import { tableOf } from './table.ts';

const usual = [10_000, 100_000, 1_000_000];

/**
 * The costs of catalogs of several sizes, as a table, and estimates for larger ones. `npm run bench -- scale 10000 100000`;
 * names of parts after the sizes leave out the other parts. With BENCH_KEEP, a folder, catalogs stay in it and are not
 * loaded again, and the table includes parts that were measured before.
 *
 * @throws RangeError for an argument that is neither a size nor a part.
 */
export async function benchScale(chosen: readonly string[]): Promise<void> {
  const numbers = chosen.map(Number).filter((size) => size > 0);
  const sizes = numbers.length > 0 ? numbers : usual;
  const names = chosen.filter((name) => !(Number(name) > 0));
  const unknown = names.find((name) => !isPart(name));
  if (unknown !== undefined) throw new RangeError(`'${unknown}' is no part: ${Object.keys(measures).join(', ')}`);
  const measured = new Map<number, Figures>();
  for (const size of sizes.toSorted((a, b) => a - b)) {
    measured.set(size, await measureAt(size, names.filter(isPart)));
    process.stdout.write(`${size} records: ${JSON.stringify(measured.get(size))}\n`);
  }
  process.stdout.write(`\n${tableOf(measured).join('\n')}\n\n`);
  const memory = Math.round(totalmem() / 1e9);
  process.stdout.write(
    `${availableParallelism()} cores, ${memory} GB, Node ${process.version}. Figures behind ~ are extrapolated.\n`,
  );
}

/** Settings of the PostgreSQL that loads: anything lost in a crash is loaded again. */
const loading = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=8GB'];

/** @param parts all parts if empty. */
async function measureAt(size: number, parts: readonly Part[]): Promise<Figures> {
  const kept = process.env['BENCH_KEEP'];
  const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'vitrine-scale-')) : join(kept, `${size}`);
  try {
    const loadSeconds = await load(folder, size);
    return await measure({ folder, size, loadSeconds }, parts);
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds figures to those that earlier parts and runs left in a file; returns all. */
function addTo(file: string, values: Figures): Figures {
  const former = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Figures) : {};
  const all = { ...former, ...values };
  writeFileSync(file, `${JSON.stringify(all)}\n`);
  return all;
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

async function measure({ folder, size, loadSeconds }: Loaded, parts: readonly Part[]): Promise<Figures> {
  const world = await openWorld(0, undefined, folder);
  const file = join(folder, 'figures.json');
  let values: Figures = {};
  try {
    const environment = { ...world.environment, DATABASE_TIMEOUT: '600' };
    const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment);
    try {
      for (const [name, part] of Object.entries(measures)) {
        if (parts.length > 0 && !parts.some((chosen) => chosen === name)) continue;
        values = addTo(file, await part({ world, size, service, loadSeconds }));
      }
    } finally {
      await service.stop();
    }
  } finally {
    await world.close();
  }
  return values;
}
