// Costs of the analyzers alone: `node dist/bench/bare-analyzer.js ROUNDS RUNTIME FILE…` runs them one after the other in
// this process, on pixels in memory, and prints as JSON the median and mean milliseconds of each, the mean of all, and the
// mean processor time of all threads, per picture.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { analyzers, rasterSides } from '../src/analysis/analyzers.ts';
import { decodeRaster, shrinkRaster } from '../src/analysis/decode.ts';
import { openNetworks } from '../src/analysis/networks/onnx-runtime.ts';
import { median } from './measure.ts';

const [rounds, runtime = '', ...files] = process.argv.slice(2);
/** RUNTIME is the library of ONNX Runtime, or empty. */
const run = openNetworks(runtime === '' ? null : runtime);
const names = Object.keys(analyzers) as (keyof typeof analyzers)[];
const costs = new Map<string, number[]>();

async function time<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  costs.set(name, [...(costs.get(name) ?? []), performance.now() - began]);
  return result;
}

let began = process.cpuUsage();
for (let round = 0; round <= Number(rounds); round += 1) {
  // By now, models are loaded.
  if (round === 1) {
    costs.clear();
    began = process.cpuUsage();
  }
  for (const file of files) {
    const bytes = readFileSync(file);
    const { facts, raster: large } = await time('decode', () => decodeRaster(bytes, rasterSides.large));
    const small = await shrinkRaster(large, rasterSides.small);
    const { width, height } = facts;
    const view = { bytes, large, small, width, height, langs: ['en'] as const, context: {}, tessdataDir: null };
    for (const name of names)
      await time<unknown>(name, () => analyzers[name].run({ ...view, found: {}, run, warn: () => {} }));
  }
}
const { user, system } = process.cpuUsage(began);
const measured = Number(rounds) * files.length;
const medians = Object.fromEntries([...costs].map(([name, values]) => [name, median(values)]));
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const means = Object.fromEntries([...costs].map(([name, values]) => [name, total(values) / values.length]));
const all = total([...costs.values()].flat());
const processorMs = (user + system) / 1000 / measured;
process.stdout.write(JSON.stringify({ medians, means, mean: all / measured, processorMs }));
