import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { z } from 'zod';

const photograph = z.object({
  file: z.string(),
  n_faces: z.int().nullable(),
  scene: z.array(z.string()).default([]),
});
const manifestSchema = z.object({
  originals: z.array(photograph),
  faces: z.array(photograph),
  variants: z.array(z.object({ file: z.string(), of: z.string(), transform: z.string(), expected: z.string() })),
  text: z.array(
    z.object({ file: z.string(), language: z.string(), full_text: z.string(), photo_background: z.boolean() }),
  ),
});
export type CorpusText = z.output<typeof manifestSchema>['text'][number];
export type CorpusVariant = z.output<typeof manifestSchema>['variants'][number];

/** A photograph, and what it shows, in English words. */
export type Photograph = Readonly<{
  file: string;
  /** Number of clear frontal faces; null if even people are unsure. */
  faces: number | null;
  shows: ReadonlySet<string>;
}>;

/** Synonyms of the words of scenes, and more general words for them. */
const more: Readonly<Record<string, readonly string[]>> = {
  man: ['person', 'people', 'portrait', 'face', 'men'],
  cups: ['cup', 'tableware'],
  cat: ['pet'],
  dog: ['pet', 'animal'],
  airplane: ['aircraft', 'vehicle', 'aviation'],
  boat: ['vehicle', 'ship'],
  rocket: ['space', 'launch'],
  flower: ['plant', 'nature', 'garden'],
  tree: ['nature', 'plant', 'landscape'],
  mountain: ['mountains', 'nature', 'landscape', 'winter'],
  lake: ['nature', 'landscape', 'water'],
  sunset: ['evening', 'dusk', 'sky'],
  hills: ['nature', 'landscape'],
  village: ['houses', 'town'],
  house: ['building', 'architecture'],
  building: ['city'],
  desert: ['landscape', 'drought'],
  sun: ['sunset', 'sunrise', 'nature'],
  river: ['water', 'nature'],
};

/** Things that are visible although the words of the scene omit them, by file name. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  'p05-nagasaki': ['person', 'people', 'black and white', 'vehicle'],
  'f01-portrait': ['person', 'people', 'tie', 'portrait', 'face', 'woman', 'military', 'uniform'],
  'p09-cameraman': ['black and white', 'photographer'],
  'p10-acanthus': ['black and white'],
  'p11-airplane': ['black and white'],
  'p15-facade': ['black and white'],
  'p16-gravel': ['black and white'],
  'p18-dustbowl': ['black and white'],
};

export const nameOf = (file: string) => basename(file, extname(file));

/** The photographs, texts and variants of a folder with a manifest.json. */
export function readTruths(folder: string) {
  const { originals, faces, variants, text } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')),
  );
  const photographs = [...originals, ...faces].map(({ file, n_faces, scene }): Photograph => {
    const words = [...scene, ...(unlisted[nameOf(file)] ?? [])];
    return { file, faces: n_faces, shows: new Set([...words, ...words.flatMap((word) => more[word] ?? [])]) };
  });
  return { photographs, originals: photographs.slice(0, originals.length), variants, texts: text };
}
