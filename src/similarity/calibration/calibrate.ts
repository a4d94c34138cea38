import {
  detailsOf,
  edits,
  mirrored,
  openOriginal,
  readRaster,
  regionCount,
  saveEdit,
  signPicture,
} from '../../analysis/index.ts';
import type { Edit, EditClass, Signature } from '../../analysis/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { findDuplicates } from '../groups/find-duplicates.ts';
import type { DuplicateSources, ReferencePicture } from '../groups/find-duplicates.ts';
import { ScanPool } from '../index/scan-pool.ts';
import { SharedHeap } from '../index/shared-heap.ts';
import { SimilarityIndex } from '../index/similarity-index.ts';
import { duplicateTiers, tierHolds } from '../compare/tiers.ts';
import type { DuplicateOperator, DuplicateTier, Thresholds } from '../compare/tiers.ts';

export type CalibrationPicture = Readonly<{ name: string; bytes: Buffer }>;

/** The result of one edit: how its original was found, and which other pictures were found, too. */
export type Trial = Readonly<{
  original: string;
  edit: string;
  class: EditClass;
  tier: DuplicateTier | null;
  others: readonly Readonly<{ name: string; tier: DuplicateTier }>[];
}>;

/** How often the operator in charge finds one class of edits. */
type Recall = Readonly<{ class: EditClass; operator: DuplicateOperator; trials: number; found: number }>;

/** An operator, and how many of its results were a different picture. */
type FalseMatches = Readonly<{ operator: DuplicateOperator; answers: number; wrong: number }>;

const operatorOf: Readonly<Record<EditClass, DuplicateOperator>> = {
  near: '===',
  same: '==',
  edited: '=',
  variant: '=',
};

/** Applies every edit to each picture, and searches for the originals among all pictures. */
export async function* tryEdits(
  pictures: readonly CalibrationPicture[],
  thresholds: Thresholds,
): AsyncGenerator<Trial> {
  const signatures = new Map<number, Signature>();
  const heap = new SharedHeap(16_777_216 + pictures.length * 1024);
  const pool = new ScanPool(heap, 1);
  const index = new SimilarityIndex(heap, pool, regionCount, 0);
  for (const [k, { name, bytes }] of pictures.entries()) {
    const raster = await readRaster(bytes).catch((error: unknown) => {
      throw error instanceof ElementError ? new ElementError(error.code, `${name}: ${error.message}`) : error;
    });
    const signature = await signPicture(raster);
    signatures.set(k + 1, signature);
    index.put({ id: k + 1, hashes: signature, vector: null });
  }
  const search: DuplicateSources = {
    index,
    thresholds,
    closer: async (ids) =>
      new Map(ids.map((id) => [id, { checksum: null, details: signatures.get(id)?.details ?? null }])),
    sameFile: async () => [],
  };
  for (const [k, picture] of pictures.entries()) {
    const original = await openOriginal(picture.bytes);
    for (const edit of edits) yield tryEdit(search, pictures, k, edit, await saveEdit(edit, original));
  }
  await pool.close();
}

async function tryEdit(
  search: DuplicateSources,
  pictures: readonly CalibrationPicture[],
  k: number,
  edit: Edit,
  bytes: Buffer,
): Promise<Trial> {
  const matches = await findDuplicates(search, await toReference(bytes), '=');
  const name = (id: number) => pictures[id - 1]?.name ?? '';
  const others = [...matches].filter(([id]) => id !== k + 1);
  return {
    original: name(k + 1),
    edit: edit.name,
    class: edit.class,
    tier: matches.get(k + 1)?.tier ?? null,
    others: others.map(([id, { tier }]) => ({ name: name(id), tier })),
  };
}

/** A picture that is not a record, ready to be searched for. */
export async function toReference(bytes: Buffer): Promise<ReferencePicture> {
  const raster = await readRaster(bytes);
  const signature = await signPicture(raster);
  return { ...signature, id: null, vector: null, checksum: null, mirrored: await detailsOf(mirrored(raster)) };
}

/** Summarizes trials: what the operator of each class found. */
export function recallOf(trials: readonly Trial[]): Recall[] {
  return (Object.keys(operatorOf) as EditClass[]).map((each) => {
    const operator = operatorOf[each];
    const own = trials.filter((trial) => trial.class === each);
    const found = own.filter(({ tier }) => tier !== null && tierHolds(operator, tier)).length;
    return { class: each, operator, trials: own.length, found };
  });
}

/** Summarizes trials: how many results of each operator were a different picture. */
export function falseMatchesOf(trials: readonly Trial[]): FalseMatches[] {
  return duplicateTiers.map(({ operator }) => {
    const wrong = trials.flatMap(({ others }) => others).filter(({ tier }) => tierHolds(operator, tier)).length;
    const right = trials.filter(({ tier }) => tier !== null && tierHolds(operator, tier)).length;
    return { operator, answers: right + wrong, wrong };
  });
}
