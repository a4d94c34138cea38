import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import type { Sharp } from 'sharp';

/** A photograph of the folder: its name and its file. */
export type Photograph = Readonly<{ name: string; file: string }>;

/** Largest side and JPEG quality of originals and variants. */
const side = 512;
const quality = 92;
/** A photograph is a repeat of an earlier one if at most this many of 256 differences between neighbors change sign. */
const repeatBits = 20;
const hashSide = 16;

/** The photographs of a folder without repeats, because finding a repeat would count as a mistake. */
export async function readPhotographs(folder: string): Promise<Photograph[]> {
  const names = readdirSync(folder).filter((name) => /\.(?:jpe?g|png|webp)$/i.test(name));
  const kept: Photograph[] = [];
  const hashes: Uint8Array[] = [];
  for (const name of names.toSorted()) {
    const file = join(folder, name);
    const hash = await differenceHash(file);
    if (hashes.some((other) => differing(hash, other) <= repeatBits)) continue;
    hashes.push(hash);
    kept.push({ name: parse(name).name, file });
  }
  return kept;
}

async function differenceHash(file: string): Promise<Uint8Array> {
  const grey = sharp(file).autoOrient().flatten({ background: '#fff' }).grayscale();
  const pixels = await grey
    .resize(hashSide + 1, hashSide, { fit: 'fill' })
    .raw()
    .toBuffer();
  return Uint8Array.from({ length: hashSide ** 2 }, (_, k) => {
    const at = Math.floor(k / hashSide) * (hashSide + 1) + (k % hashSide);
    return (pixels[at] as number) < (pixels[at + 1] as number) ? 1 : 0;
  });
}

function differing(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, bit, k) => sum + (bit === b[k] ? 0 : 1), 0);
}

/** Saves a photograph in the form that the bench compares. */
export async function saveOriginal({ file }: Photograph, target: string): Promise<void> {
  const upright = sharp(file).autoOrient().toColourspace('srgb').flatten({ background: '#fff' });
  const small = upright.resize(side, side, { fit: 'inside', withoutEnlargement: true });
  await small.jpeg({ quality }).toFile(target);
}

type Size = Readonly<{ width: number; height: number }>;

function cut(image: Sharp, { width, height }: Size, share: number, isCentred: boolean): Sharp {
  const [w, h] = [Math.round(width * share), Math.round(height * share)];
  const at = (rest: number) => (isCentred ? Math.floor(rest / 2) : rest);
  return image.extract({ left: at(width - w), top: at(height - h), width: w, height: h });
}

function bar(image: Sharp, { width, height }: Size): Sharp {
  const tall = Math.round(height * 0.16);
  const text = `<text x="${width * 0.04}" y="${tall * 0.68}" font-size="${tall * 0.55}" fill="#fff">Caption of the picture</text>`;
  const svg = `<svg width="${width}" height="${tall}"><rect width="${width}" height="${tall}" fill="#181818"/>${text}</svg>`;
  return image.composite([{ input: Buffer.from(svg), left: 0, top: height - tall }]);
}

/** Variants of a photograph: substitutes for real pictures of the same scene. */
const variants: Readonly<Record<string, (image: Sharp, size: Size) => Sharp>> = {
  crop80: (image, size) => cut(image, size, 0.8, true),
  crop60: (image, size) => cut(image, size, 0.6, false),
  flip: (image) => image.flop(),
  rot10: (image) => image.rotate(10, { background: '#808080' }),
  bright: (image) => image.modulate({ brightness: 1.2, saturation: 1.3 }).linear(1.15, -10),
  grey: (image) => image.grayscale(),
  q20: (image) => image.jpeg({ quality: 20 }),
  quarter: (image, { width, height }) => image.resize(Math.ceil(width / 4), Math.ceil(height / 4), { fit: 'fill' }),
  bar,
  blur: (image, { width, height }) => image.blur(Math.max(width, height) / 170),
};
export const variantKinds = Object.keys(variants);

/** Makes all variants of a saved original; `target` says where each kind goes. */
export async function saveVariants(original: string, target: (kind: string) => string): Promise<void> {
  const { width, height } = await sharp(original).metadata();
  for (const [kind, make] of Object.entries(variants)) {
    const made = make(sharp(original), { width, height });
    await (kind === 'q20' ? made : made.jpeg({ quality })).toFile(target(kind));
  }
}
