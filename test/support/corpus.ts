import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Folder of real pictures with known facts, beside the checkout; not part of it. */
export const corpusFolder = resolve(import.meta.dirname, '../../../shared/corpus');

/** Why tests on the corpus are skipped, or false. */
export const noCorpus: string | false = existsSync(join(corpusFolder, 'manifest.json'))
  ? false
  : `skipped: no picture corpus at ${corpusFolder}`;

type BadFile = Readonly<{ file: string; expected: string; also_ok?: string }>;
export type PictureFile = Readonly<{ file: string; width: number; height: number; transform?: string }>;
type ColorFile = PictureFile &
  Readonly<{ kind: string; is_bw: boolean | null; colors?: { hex: string; percent: number }[] }>;
type PdqFile = PictureFile & Readonly<{ pdq: string; pdq_quality: number; pdq_published: string }>;
type VideoFile = Readonly<{
  file: string;
  bytes: number;
  expected: string;
  container: string;
  video_codec: string;
  audio_codec: string | null;
  width: number;
  height: number;
  fps: number;
  measured_duration_s: number;
}>;
export type Manifest = Readonly<Record<'variants' | 'text' | 'metadata' | 'faces', PictureFile[]>> &
  Readonly<{
    originals: (PictureFile & Readonly<{ is_bw: boolean | null }>)[];
    colors: ColorFile[];
    pdq_reference: PdqFile[];
    bad: BadFile[];
    video: VideoFile[];
  }>;

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(corpusFolder, 'manifest.json'), 'utf8')) as Manifest;
}

/** The 60 catalog records of the corpus, under the contract's names. */
export function readCatalog(): Record<string, unknown>[] {
  return JSON.parse(readFileSync(join(corpusFolder, 'catalog.json'), 'utf8')) as Record<string, unknown>[];
}
