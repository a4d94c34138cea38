import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashPdq, pdqDistance } from '../../src/analysis/fingerprint/pdq.ts';
import type { Raster } from '../../src/analysis/raster.ts';
import { rotateHash, rotations } from '../../src/analysis/fingerprint/spectrum.ts';
import type { Rotation } from '../../src/analysis/fingerprint/spectrum.ts';
import { noCorpus, readManifest } from '../support/corpus.ts';
import { noise, readRaster, rearrange } from './pictures.ts';

const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Where each turn takes a pixel of the turned picture from. */
const origins: Readonly<
  Record<Rotation, (w: number, h: number) => (x: number, y: number) => readonly [number, number]>
> = {
  identity: () => (x, y) => [x, y],
  rotate90: (_, h) => (x, y) => [y, h - 1 - x],
  rotate180: (w, h) => (x, y) => [w - 1 - x, h - 1 - y],
  rotate270: (w) => (x, y) => [w - 1 - y, x],
  flipHorizontal: (w) => (x, y) => [w - 1 - x, y],
  flipVertical: (_, h) => (x, y) => [x, h - 1 - y],
  transpose: () => (x, y) => [y, x],
  transverse: (w, h) => (x, y) => [w - 1 - y, h - 1 - x],
};

function rotation(raster: Raster, name: Rotation): Raster {
  const { width, height } = raster;
  const isSideways = /rotate90|rotate270|transpose|transverse/.test(name);
  return rearrange(raster, isSideways ? [height, width] : [width, height], origins[name](width, height));
}

describe.skipIf(noCorpus)('the hash of a picture', () => {
  const reference = noCorpus ? [] : readManifest().pdq_reference;

  it.each(reference)('is what the reference code gives: $file', async ({ file, pdq, pdq_quality: quality }) => {
    const own = hashPdq(await readRaster(file));
    expect([pdqDistance(own.hash, fromHex(pdq)), own.quality]).toEqual([0, quality]);
  });

  it.each(reference)(
    'hardly changes when the picture is made smaller first: $file',
    async ({ file, pdq_published }) => {
      const own = hashPdq(await readRaster(file, 512));
      expect(pdqDistance(own.hash, fromHex(pdq_published))).toBeLessThanOrEqual(4);
    },
  );

  it.each(rotations)('can be had for the picture after %s, without its pixels', async (name) => {
    const raster = await readRaster('originals/p02-cat.jpg', 512);
    const { hash } = hashPdq(raster);
    const hashes = Object.fromEntries(rotations.map((each) => [each, rotateHash(hash, each)])) as Record<
      Rotation,
      Uint8Array
    >;
    // The reference's own turned hashes differ by up to 20 bits: its samples are not symmetric.
    expect(pdqDistance(hashes[name], hashPdq(rotation(raster, name)).hash)).toBeLessThanOrEqual(20);
    const others = rotations.filter((other) => other !== name);
    for (const other of others) expect(pdqDistance(hashes[name], hashes[other])).toBeGreaterThan(90);
  });

  it('is of no quality where there is nothing to see', async () => {
    const { quality } = hashPdq(await readRaster('colors/c02-red-full.png'));
    expect(quality).toBe(0);
  });
});

describe('the hash of any pixels', () => {
  it('has 256 bits and a quality from 0 to 100, whatever the size', () => {
    const size = fc.integer({ min: 1, max: 140 });
    fc.assert(
      fc.property(
        size,
        size,
        fc.constantFrom(3 as const, 4 as const),
        fc.integer(),
        (width, height, channels, seed) => {
          const data = noise(width * height * channels, seed);
          const { hash, quality } = hashPdq({ data, width, height, channels });
          expect(hash.length).toBe(32);
          expect(quality).toBeGreaterThanOrEqual(0);
          expect(quality).toBeLessThanOrEqual(100);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the distance of two hashes', () => {
  it('counts the bits that differ', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const bits = (each: Uint8Array) => [...each].map((byte) => byte.toString(2).padStart(8, '0')).join('');
        const [x, y] = [bits(a), bits(b)];
        expect(pdqDistance(a, b)).toBe([...x].filter((bit, i) => bit !== y[i]).length);
      }),
    );
  });
});
