// Measures what the built-in analyzers cost on a folder of pictures with known facts (its manifest.json), and which
// labels they find; bench/vision measures how well any provider does.
// npm run measure:analysis [FOLDER] [-- --repeat 2000 for the memory of a thread, --only labels for one part]
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { analyzers, rasterSides } from '../dist/src/analysis/analyzers.js';
import { decodeRaster, shrinkRaster } from '../dist/src/analysis/decode.js';

const { values: options, positionals } = parseArgs({
  options: { repeat: { type: 'string', default: '0' }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? '../shared/corpus');
const { only } = options;
const repeat = Number(options.repeat);
if (!existsSync(join(folder, 'manifest.json'))) throw new Error(`no manifest.json in ${folder}`);
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const costs = new Map();

async function open(file) {
  const bytes = readFileSync(join(folder, file));
  const { facts, raster } = await decodeRaster(bytes, rasterSides.large);
  const small = await shrinkRaster(raster, rasterSides.small);
  return { bytes, large: raster, small, width: facts.width, height: facts.height };
}

/** Runs one analyzer in this process, so that its cost can be measured separately from other work. */
async function see(name, picture, lang = 'en', found = {}) {
  const before = process.cpuUsage();
  const view = { ...picture, langs: [lang], context: {}, found, tessdataDir: null, warn: () => {} };
  const result = await analyzers[name].run(view);
  const { user, system } = process.cpuUsage(before);
  costs.set(name, [...(costs.get(name) ?? []), (user + system) / 1000]);
  return result;
}

const say = (what, value) => process.stdout.write(`${what.padEnd(64)} ${value}\n`);
const photographs = [...manifest.originals, ...manifest.faces];

/**
 * Words of scenes that have another name as labels, and labels of things that the scenes omit, by the original's id.
 */
const labelsOf = { man: 'person', cups: 'cup' };
const unlisted = {
  'p05-nagasaki': ['person'],
  'f01-portrait': ['person', 'tie'],
  't04-es': ['boat'],
  'c09-bw-photo': ['person'],
};

/** What searches for detected objects find: labels that are in the picture, and labels that are not. */
async function measureLabels() {
  const byFile = new Map(photographs.map((each) => [each.file, each]));
  const counts = new Map();
  const wrong = [];
  const all = [...photographs, ...manifest.variants, ...manifest.text, ...manifest.metadata, ...manifest.colors];
  const milliseconds = [];
  for (const { file, of: original = file } of all) {
    const id = original.replace(/.*\/|\.\w+$/g, '');
    const scene = byFile.get(original)?.scene ?? [];
    const there = new Set([...scene.map((word) => labelsOf[word] ?? word), ...(unlisted[id] ?? [])]);
    const picture = await open(file);
    const before = process.cpuUsage();
    const found = { objects: await see('objects', picture), faces: await see('faces', picture) };
    const { user, system } = process.cpuUsage(before);
    milliseconds.push((user + system) / 1000);
    const concepts = await see('concepts', picture, 'en', found);
    const kinds = new Set(['animal', 'vehicle', 'food', 'fruit', 'furniture', 'portrait', 'face', 'group of people']);
    const labels = concepts.map(({ labels: { en } }) => en).filter((label) => !kinds.has(label));
    if (concepts.some(({ labels: { en } }) => en === 'face') && !there.has('person')) wrong.push(`${file}: face`);
    for (const label of labels) {
      const [right, not] = counts.get(label) ?? [0, 0];
      counts.set(label, there.has(label) ? [right + 1, not] : [right, not + 1]);
      if (!there.has(label)) wrong.push(`${file}: ${label}`);
    }
  }
  const sum = (at) => [...counts.values()].reduce((total, pair) => total + pair[at], 0);
  say(`labels that searches find in ${all.length} pictures: true, false`, `${sum(0)}, ${sum(1)}`);
  for (const [label, [right, not]] of counts) say(`  ${label}`, `${right}, ${not}`);
  for (const each of wrong) say('  false', each);
  const mean = milliseconds.reduce((total, each) => total + each, 0) / milliseconds.length;
  say('labels: processor time of objects and faces together, mean', `${mean.toFixed(0)} ms`);
}

async function measureCosts() {
  for (const { file } of manifest.originals) {
    const picture = await open(file);
    for (const name of ['colors', 'pdq', 'embedded', 'faces', 'objects', 'ocr', 'embedding']) await see(name, picture);
  }
  for (const [name, values] of costs) {
    const sorted = values.slice(1).toSorted((a, b) => a - b);
    say(
      `${name}: processor time, median and 95 %`,
      `${[0.5, 0.95].map((part) => sorted[Math.floor(sorted.length * part)].toFixed(0)).join(' and ')} ms`,
    );
  }
}

async function measureMemory() {
  const pictures = await Promise.all(manifest.originals.map(({ file }) => open(file)));
  for (let i = 0; i < repeat; i += 1) {
    for (const name of ['faces', 'objects', 'embedding', 'ocr']) await see(name, pictures[i % pictures.length]);
    if (i % Math.ceil(repeat / 10) === 0)
      say(`resident memory after ${i} pictures`, `${Math.round(process.memoryUsage().rss / 1e6)} MB`);
  }
}

const parts = {
  labels: measureLabels,
  costs: measureCosts,
  memory: measureMemory,
};
for (const [name, measure] of Object.entries(parts)) if (!(only in parts) || name === only) await measure();
