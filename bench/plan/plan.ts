import { estimate, sizesOf } from '../scale/table.ts';
import type { Measured, RowName } from '../scale/rows.ts';
import { assumptions, coefficients } from './coefficients.ts';

/** What is to be served: pictures of one tenant, new ones per day, and searches per second. */
export type Demand = Readonly<{ pictures: number; newEachDay: number; searchesPerSecond: number }>;

/** All machines of one role: their number, cores, and bytes of memory and disk. */
export type Part = Readonly<{ role: string; machines: number; cores: number; memory: number; disk: number }>;

const secondsOfDay = 86_400;
const gibibyte = 2 ** 30;

/**
 * The machines that this demand requires, according to measured figures; whatever was not measured is a row of
 * `assumptions`.
 *
 * @throws RangeError if too few sizes were measured.
 */
export function planFor(demand: Demand, measured: Measured): Part[] {
  const hasMeilisearch = demand.pictures >= assumptions.meilisearchFrom;
  const database = databaseOf(demand, measured, hasMeilisearch);
  const workers = workersOf(demand);
  if (demand.pictures <= assumptions.oneProcessUpTo && workers.cores === 1) return [oneProcess(database, workers)];
  return [database, apiOf(demand), workers, ...(hasMeilisearch ? [meilisearchOf(demand, measured), redis] : [])];
}

/** `vitrine serve` with the embedded PostgreSQL. */
function oneProcess(database: Part, workers: Part): Part {
  return { ...database, role: 'one process', memory: database.memory + workers.memory };
}

/** The total of a plan. */
export function totalOf(parts: readonly Part[]): Part {
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    role: 'all',
    machines: sum(({ machines }) => machines),
    cores: sum(({ cores }) => cores),
    memory: sum(({ memory }) => memory),
    disk: sum(({ disk }) => disk),
  };
}

/** Days that this many cores take to analyze the existing pictures. */
export function daysOfAnalysis({ pictures }: Demand, cores: number): number {
  return (pictures * coefficients.analysisSeconds) / cores / secondsOfDay;
}

function databaseOf({ pictures, searchesPerSecond }: Demand, measured: Measured, hasMeilisearch: boolean): Part {
  const indexes = megabytes(measured, 'indexes', pictures);
  const isSearched = pictures >= assumptions.databaseFrom;
  const similarity = isSearched ? pictures * (coefficients.hashBytes + coefficients.vectorBytes) : 0;
  const rows = megabytes(measured, 'table', pictures) + pictures * coefficients.analysisBytes;
  const seconds = (hasMeilisearch ? pageOfIds(measured, pictures) : search(measured, pictures)) / 1000;
  return {
    role: 'PostgreSQL',
    machines: 1,
    cores: Math.max(2, Math.ceil((searchesPerSecond * seconds) / assumptions.busy)),
    memory: gibibyte + assumptions.warm * (indexes + similarity),
    disk: (rows + indexes + similarity) * (1 + assumptions.room),
  };
}

/** Milliseconds of a search in PostgreSQL. */
function search(measured: Measured, pictures: number): number {
  const { broadSearches } = assumptions;
  const few = known(measured, 'selective', pictures) * (1 - broadSearches);
  return few + known(measured, 'broad', pictures) * broadSearches;
}

/** Milliseconds of a page whose records Meilisearch has found. */
function pageOfIds(measured: Measured, pictures: number): number {
  return known(measured, 'get', pictures) * assumptions.readsOfPage;
}

/**
 * At least two processes, so that one may fail; each searches similarity in its own memory, until the database takes
 * over.
 */
function apiOf({ pictures, searchesPerSecond }: Demand): Part {
  const inMemory = pictures < assumptions.databaseFrom ? pictures * coefficients.imageBytes : 0;
  const processes = Math.max(2, Math.ceil(searchesPerSecond / (assumptions.searchesPerCore * assumptions.busy)));
  return {
    role: 'API',
    machines: processes,
    cores: processes,
    memory: processes * (coefficients.processBytes + inMemory),
    disk: 0,
  };
}

function workersOf({ newEachDay }: Demand): Part {
  const seconds = newEachDay * coefficients.analysisSeconds;
  const cores = Math.max(1, Math.ceil(seconds / (secondsOfDay * assumptions.busy)));
  const memory = cores * (coefficients.processBytes + coefficients.threadBytes);
  return { role: 'worker', machines: Math.ceil(cores / assumptions.coresOfWorker), cores, memory, disk: 0 };
}

function meilisearchOf({ pictures }: Demand, measured: Measured): Part {
  const used = megabytes(measured, 'meilisearch', pictures);
  const machines = Math.max(1, Math.ceil(used / assumptions.memberBytes));
  return {
    role: 'Meilisearch',
    machines,
    cores: 2 * machines,
    memory: Math.max(machines * gibibyte, assumptions.warmOfMeilisearch * used),
    disk: used * (1 + assumptions.room),
  };
}

const redis: Part = { role: 'Redis', machines: 1, cores: 1, memory: gibibyte, disk: gibibyte };

function megabytes(measured: Measured, name: RowName, size: number): number {
  return known(measured, name, size) * 1e6;
}

function known(measured: Measured, name: RowName, size: number): number {
  const found = estimate(measured, name, size);
  if (found !== undefined) return found.value;
  throw new RangeError(
    `'${name}' was measured at ${sizesOf(measured, name).join(' and ')} records: that tells nothing of ${size}`,
  );
}

/** The error of an extrapolation: a row at its largest size, predicted from its smaller sizes, and as measured. */
export type Miss = Readonly<{ name: RowName; size: number; foretold: number; measured: number }>;

/** The errors of the plan's figures where they can be known: for rows with at least three sizes. */
export function missesOf(measured: Measured, names: readonly RowName[]): Miss[] {
  return names.flatMap((name) => {
    const [size, ...smaller] = sizesOf(measured, name);
    const value = size === undefined ? undefined : measured.get(size)?.[name];
    if (size === undefined || value === undefined || smaller.length < 2) return [];
    const foretold = estimate(new Map([...measured].filter(([other]) => other < size)), name, size);
    return foretold === undefined ? [] : [{ name, size, foretold: foretold.value, measured: value }];
  });
}
