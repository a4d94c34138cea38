import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { firstOf, full } from '../support/effort.ts';
import { sharedBuiltinAnalyzer } from '../support/shared-analyzer.ts';

/** Where the middle of each face is, in pixels; as many as there are, so small in a picture of 500 × 375. */
const places = [
  [60, 60],
  [170, 48],
  [285, 66],
  [410, 55],
  [110, 210],
  [245, 225],
  [390, 240],
] as const;

/** Small portraits side by side, as in a photograph of a group. */
async function group(side: number, orientation = 1): Promise<Buffer> {
  const portrait = sharp(join(corpusFolder, 'faces/f01-portrait.jpg'));
  const { width = 0 } = await portrait.metadata();
  const head = await portrait
    .extract({ left: Math.round(width * 0.2), top: 0, width: Math.round(width * 0.6), height: Math.round(width * 0.6) })
    .resize(side * 2, side * 2)
    .toBuffer();
  const composite = places.map(([x, y]) => ({ input: head, left: x - side, top: Math.max(0, y - side) }));
  return sharp({ create: { width: 500, height: 375, channels: 3, background: '#5c6450' } })
    .composite(composite)
    .withMetadata({ orientation })
    .jpeg({ quality: 90 })
    .toBuffer();
}

async function countFaces(bytes: Buffer): Promise<number | undefined> {
  const { outcomes } = await sharedBuiltinAnalyzer.analyze({ bytes, want: ['faces'] });
  return outcomes.faces?.result?.length;
}

/** Parts of a photograph of dogs whose muzzles a detector of faces takes for one, by up to 80 %. */
const muzzles = [
  { left: 23, top: 52, width: 347, height: 343, angle: 23 },
  { left: 72, top: 56, width: 306, height: 361, angle: 22 },
  { left: 85, top: 130, width: 303, height: 324, angle: 13 },
  { left: 113, top: 197, width: 138, height: 138, angle: -14 },
] as const;

describe.skipIf(noCorpus)('the muzzle of a dog', () => {
  it.each(firstOf(1, muzzles))('is no face (%o)', async ({ angle, ...part }) => {
    const dogs = await sharp(join(corpusFolder, 'originals/p07-dogs.jpg')).extract(part).toBuffer();
    expect(await countFaces(await sharp(dogs).rotate(angle, { background: '#808080' }).jpeg().toBuffer())).toBe(0);
  });
});

describe.skipIf(noCorpus)('the faces of a group', () => {
  it.each(firstOf(1, [34, 40, 50]))(
    'are all found in a small picture, at %i pixels from ear to shoulder',
    full,
    async (side) => {
      expect(await countFaces(await group(side))).toBe(places.length);
    },
  );

  it('are no more where the file asks for its picture to be turned', full, async () => {
    const upright = await group(40);
    const onItsSide = await sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await countFaces(onItsSide)).toBe(places.length);
  });
});
