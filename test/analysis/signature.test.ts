import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  align,
  detailsOf,
  mirrored,
  overlapOf,
  packDetails,
  readRaster,
  signPicture,
  unpackDetails,
} from '../../src/analysis/index.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';

const cat = () => readFileSync(join(corpusFolder, 'originals/p02-cat.jpg'));

describe.skipIf(noCorpus)('the signature of a picture', () => {
  it('is the same each time it is made', async () => {
    const raster = await readRaster(cat());
    expect(await signPicture(raster)).toEqual(await signPicture(raster));
  });

  it('leaves no listener for faults of the process behind', async () => {
    // Modules that other tests of this process have loaded may have left some.
    const listeners = () => ['uncaughtException', 'unhandledRejection'].map((event) => process.listenerCount(event));
    const before = listeners();
    await signPicture(await readRaster(cat()));
    expect(listeners()).toEqual(before);
  });

  it('is stored in few bytes, and read again to a hair', async () => {
    const { details } = await signPicture(await readRaster(cat()));
    const packed = packDetails(details);
    expect(packed.length).toBeLessThanOrEqual(7400);
    const again = unpackDetails(packed);
    expect(again?.miniature).toEqual(details.miniature);
    expect(again?.features.descriptors).toEqual(details.features.descriptors);
    for (const [k, value] of details.features.points.entries()) {
      const tolerance = k % 3 === 2 ? 0.03 : 0.01;
      expect(Math.abs((again?.features.points[k] as number) - value)).toBeLessThanOrEqual(tolerance);
    }
  });

  it('is not read from bytes that are cut off, too long or of another format', async () => {
    const packed = packDetails((await signPicture(await readRaster(cat()))).details);
    expect(unpackDetails(packed.subarray(0, 100))).toBeNull();
    expect(unpackDetails(packed.subarray(0, -1))).toBeNull();
    expect(unpackDetails(Buffer.concat([packed, Buffer.of(0)]))).toBeNull();
    expect(unpackDetails(Buffer.concat([Buffer.of(9), packed.subarray(1)]))).toBeNull();
    expect(unpackDetails(Buffer.alloc(0))).toBeNull();
  });

  it('can be made of pictures with nothing to see, and of the smallest', async () => {
    for (const size of [1, 2, 7, 31, 47, 49, 64, 96, 97, 300]) {
      const bytes = await sharp({
        create: { width: size, height: Math.ceil(size / 2), channels: 3, background: '#808080' },
      })
        .png()
        .toBuffer();
      const { quality, details } = await signPicture(await readRaster(bytes));
      expect(quality).toBe(0);
      expect(details.features.descriptors.length).toBe(0);
      expect(unpackDetails(packDetails(details))).not.toBeNull();
    }
  });
});

describe.skipIf(noCorpus)('laying one picture on another', () => {
  it('finds the part that was cut out, how it was turned and made larger', async () => {
    const whole = await readRaster(cat());
    const { width, height } = await sharp(cat()).metadata();
    const [left, top] = [Math.round(width * 0.3), Math.round(height * 0.2)];
    const cut = sharp(cat()).extract({ left, top, width: Math.round(width * 0.6), height: Math.round(height * 0.7) });
    const part = await readRaster(await cut.rotate(90).png().toBuffer());
    const [a, b] = [await detailsOf(part), await detailsOf(whole)];
    const laid = align(a.features, b.features);
    expect(laid?.inliers).toBeGreaterThan(15);
    expect(laid?.degrees).toBeCloseTo(-90, 0);
    const overlap = laid && overlapOf(laid.transform, a.miniature, b.miniature);
    expect(overlap?.agreement).toBeGreaterThan(0.9);
    const [, box] = overlap?.boxes ?? [];
    for (const [side, expected] of Object.entries({ x: 0.3, y: 0.2, width: 0.6, height: 0.7 })) {
      expect(Math.abs((box?.[side as 'x'] ?? 9) - expected)).toBeLessThan(0.04);
    }
  });

  it('finds no place for a mirror image, unless that is mirrored once more', async () => {
    const raster = await readRaster(cat());
    const [straight, flipped] = [await detailsOf(raster), await detailsOf(mirrored(raster))];
    expect(align(straight.features, flipped.features)).toBeNull();
    const twice = await detailsOf(mirrored(mirrored(raster)));
    expect(align(straight.features, twice.features)?.inliers).toBe(straight.features.descriptors.length / 32);
  });
});
