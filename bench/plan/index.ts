import { readFileSync } from 'node:fs';
import process from 'node:process';
import { rows } from '../scale/rows.ts';
import type { RowName } from '../scale/rows.ts';
import { readMeasured, show } from '../scale/table.ts';
import { daysOfAnalysis, missesOf, planFor, totalOf } from './plan.ts';
import type { Demand, Part } from './plan.ts';

/** Rows that the plan takes from the table of `bench -- scale`. */
const used: readonly RowName[] = ['table', 'indexes', 'get', 'selective', 'broad', 'meilisearch'];

/**
 * What a number of pictures requires: machines, cores, memory and disk, which also determine the monthly cost. `npm
 * run bench -- plan PICTURES NEW_EACH_DAY SEARCHES_PER_SECOND`; it measures nothing.
 *
 * @throws RangeError for an argument that is not a number above 0.
 */
export function printPlan([pictures = '10000000', newEachDay = '10000', searches = '20']: readonly string[]): void {
  const demand = {
    pictures: numberOf(pictures),
    newEachDay: numberOf(newEachDay),
    searchesPerSecond: numberOf(searches),
  };
  const measured = readMeasured(readFileSync('bench/scale/measured.json', 'utf8'));
  const parts = planFor(demand, measured);
  const total = totalOf(parts);
  const lines = [
    `For ${inWords(demand.pictures)} pictures of a tenant, ${inWords(demand.newEachDay)} new ones a day and ${searches} searches a second:`,
    '',
    '| role | machines | cores | memory | disk |',
    '| --- | --- | --- | --- | --- |',
    ...[...parts, total].map(lineOf),
    '',
    `A month: ${total.cores} cores, ${gigabytes(total.memory)} of memory, ${gigabytes(total.disk)} of disk.`,
    firstAnalysis(demand, parts),
    '',
    'As the smaller sizes foretell the largest one that was measured:',
    ...missesOf(measured, used).map(
      ({ name, size, foretold, measured: value }) =>
        `- ${rows[name].what}, ${inWords(size)} records: ${show(foretold, rows[name].unit)}, measured ${show(value, rows[name].unit)} (${(foretold / value).toFixed(2)} ×)`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function firstAnalysis(demand: Demand, parts: readonly Part[]): string {
  const cores = parts.find(({ role }) => role === 'worker')?.cores ?? 1;
  const days = daysOfAnalysis(demand, cores);
  return `Pictures that are there already take these workers ${days.toFixed(1)} days, a hundred cores ${daysOfAnalysis(demand, 100).toFixed(1)}.`;
}

function lineOf({ role, machines, cores, memory, disk }: Part): string {
  return `| ${[role, machines, cores, gigabytes(memory), gigabytes(disk)].join(' | ')} |`;
}

function gigabytes(bytes: number): string {
  return `${bytes === 0 ? 0 : Math.max(1, Math.round(bytes / 1e9)).toLocaleString('en-US')} GB`;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

function numberOf(text: string): number {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) throw new RangeError(`'${text}' is no number above 0`);
  return number;
}
