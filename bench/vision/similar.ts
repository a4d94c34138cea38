import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRaster, regionCount, signPicture } from '../../src/analysis/index.ts';
import type { ImageAnalyzer, Signature } from '../../src/analysis/index.ts';
import { toReference } from '../../src/similarity/calibration/calibrate.ts';
import { tierHolds } from '../../src/similarity/compare/tiers.ts';
import type { DuplicateOperator, DuplicateTier } from '../../src/similarity/compare/tiers.ts';
import {
  defaultThresholds,
  findDuplicates,
  ScanPool,
  SharedHeap,
  SimilarityIndex,
} from '../../src/similarity/index.ts';
import { averagePrecision } from '../ranking/measures.ts';
import { analyze } from './found.ts';
import type { Row } from './found.ts';
import { nameOf } from './truths.ts';
import type { CorpusVariant, Photograph } from './truths.ts';

/** The operator that has to find each class of variants of the corpus. */
const operators: Readonly<Record<string, DuplicateOperator>> = {
  'pixel-near': '===',
  'same-picture': '==',
  'edited-copy': '=',
  'variant-may-match': '=',
};

const shortName = ({ of, transform }: CorpusVariant) => `${nameOf(of)} ${transform}`;

/** Which variants find their original by the operator of their class; none depends on a provider. */
export async function measureDuplicates(
  folder: string,
  originals: readonly Photograph[],
  variants: readonly CorpusVariant[],
): Promise<Row[]> {
  const heap = new SharedHeap(16 * 2 ** 20);
  const pool = new ScanPool(heap, 1);
  const index = new SimilarityIndex(heap, pool, regionCount, 0);
  const signatures: Signature[] = [];
  for (const [id, { file }] of originals.entries()) {
    const signature = await signPicture(await readRaster(readFileSync(join(folder, file))));
    signatures.push(signature);
    index.put({ id: id + 1, hashes: signature, vector: null });
  }
  const closer = async (ids: readonly number[]) =>
    new Map(ids.map((id) => [id, { checksum: null, details: signatures[id - 1]?.details ?? null }]));
  const sources = { index, thresholds: defaultThresholds, closer, sameFile: async () => [] };
  const tiers = new Map<CorpusVariant, DuplicateTier | undefined>();
  let wrong = 0;
  for (const variant of variants) {
    const matches = await findDuplicates(sources, await toReference(readFileSync(join(folder, variant.file))), '=');
    const own = originals.findIndex(({ file }) => file === variant.of) + 1;
    tiers.set(variant, matches.get(own)?.tier);
    wrong += [...matches.keys()].filter((id) => id !== own).length;
  }
  await pool.close();
  const rows = Object.entries(operators).map(([kind, operator]): Row => {
    const all = variants.filter(({ expected }) => expected === kind);
    const missed = all.filter((variant) => {
      const tier = tiers.get(variant);
      return tier === undefined || !tierHolds(operator, tier);
    });
    const value = `${all.length - missed.length} of ${all.length}`;
    return { what: `duplicates: ${kind} found by i${operator}`, value, fails: missed.map(shortName) };
  });
  return [...rows, { what: 'duplicates: other pictures found', value: String(wrong), fails: [] }];
}

const cosine = (a: Int8Array, b: Int8Array) =>
  a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

/**
 * The fraction of copies whose original is nearest and, if the model reads texts, how pictures are ranked for each
 * word of a scene.
 */
export async function measureEmbedding(
  imageAnalyzer: ImageAnalyzer,
  folder: string,
  { originals, variants }: Readonly<{ originals: readonly Photograph[]; variants: readonly CorpusVariant[] }>,
): Promise<Row[]> {
  const embed = async (file: string) => (await analyze(imageAnalyzer, join(folder, file), ['embedding'])).embedding;
  const vectors = new Map<Photograph, Int8Array>();
  for (const photograph of originals) {
    const vector = await embed(photograph.file);
    if (vector !== undefined) vectors.set(photograph, vector);
  }
  const nearest = (to: Int8Array) =>
    [...vectors].toSorted(([, a], [, b]) => cosine(b, to) - cosine(a, to)).map(([{ file }]) => file);
  const missed: CorpusVariant[] = [];
  for (const variant of variants) {
    const vector = await embed(variant.file);
    if (vector === undefined || nearest(vector)[0] !== variant.of) missed.push(variant);
  }
  const value = `${variants.length - missed.length} of ${variants.length}`;
  const copies = { what: 'embedding: copies with their original nearest', value, fails: missed.map(shortName) };
  const { embedText } = imageAnalyzer;
  if (embedText === null) return [copies, { what: 'semantic ranking: mAP by word', value: 'no text model', fails: [] }];
  const words = [...new Set(originals.flatMap(({ shows }) => [...shows]))];
  const failing: string[] = [];
  let sum = 0;
  const wanted = await Promise.all(words.map((word) => embedText(`a photo of ${word}`, AbortSignal.timeout(60_000))));
  for (const [k, word] of words.entries()) {
    const relevant = new Set(originals.filter(({ shows }) => shows.has(word)).map(({ file }) => file));
    const precision = averagePrecision(nearest(wanted[k] as Int8Array), relevant);
    sum += precision;
    if (precision < 0.5) failing.push(word);
  }
  return [
    copies,
    { what: `semantic ranking: mAP of ${words.length} words`, value: (sum / words.length).toFixed(2), fails: failing },
  ];
}
