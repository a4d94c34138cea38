import { findFeatures, maxFeatures } from './local-features.ts';
import type { LocalFeatures } from './local-features.ts';
import { chromaSide, lumaSide, miniatureBytes, toMiniature } from './miniature.ts';
import type { Miniature } from './miniature.ts';
import { hashPdq } from './pdq.ts';
import { toLuma, toPlane } from './plane.ts';
import type { Raster } from '../raster.ts';
import { hashRegions } from './regions.ts';

/** Data that shows whether two files show the same picture. */
export type Signature = Readonly<{
  /** 32 bytes, and the PDQ quality, 0 to 100. */
  pdq: Uint8Array;
  quality: number;
  /** 20 hashes of 8 bytes. */
  regions: Uint8Array;
  /** For a close comparison with a few candidates; kept in the database, not in memory. */
  details: Details;
}>;

export type Details = Readonly<{ miniature: Miniature; features: LocalFeatures }>;

/** Computes the signature of a picture whose longer side is at most 512 pixels. Takes some 50 ms: for worker threads. */
export async function signPicture(raster: Raster): Promise<Signature> {
  const { hash, quality } = hashPdq(raster);
  const luma = toLuma(raster);
  return { pdq: hash, quality, regions: regionsOf(raster, luma), details: await detailsFrom(raster, luma) };
}

function regionsOf({ width, height }: Raster, luma: Uint8Array): Uint8Array {
  return hashRegions(toPlane(luma, width, height));
}

/** Data stored with the PDQ hash of a picture: hashes of parts, and the packed details. */
export type LocalFeatureBytes = Readonly<{ regions: Uint8Array; details: Uint8Array }>;

/** Computes the data for finding edits of a picture, as stored. */
export async function findLocalFeatures(raster: Raster): Promise<LocalFeatureBytes> {
  const luma = toLuma(raster);
  return { regions: regionsOf(raster, luma), details: packDetails(await detailsFrom(raster, luma)) };
}

/** Computes only the details of a picture; those of its mirror image find flipped copies. */
export async function detailsOf(raster: Raster): Promise<Details> {
  return detailsFrom(raster, toLuma(raster));
}

async function detailsFrom(raster: Raster, luma: Uint8Array): Promise<Details> {
  return { miniature: toMiniature(raster, luma), features: await findFeatures(raster, luma) };
}

/** Returns the mirror image. */
export function mirrored({ data, width, height, channels }: Raster): Raster {
  const flipped = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = (y * width + width - 1 - x) * channels;
      flipped.set(data.subarray(from, from + channels), (y * width + x) * channels);
    }
  }
  return { data: flipped, width, height, channels };
}

const format = 1;
const headerBytes = 6;
const pointBytes = 5;
const descriptorBytes = 32;

/** Packs details for storage, into 7.3 KB at most. */
export function packDetails({ miniature, features }: Details): Buffer {
  const count = Math.min(features.descriptors.length / descriptorBytes, maxFeatures);
  const packed = Buffer.alloc(headerBytes + miniatureBytes + count * (pointBytes + descriptorBytes));
  packed.writeUInt8(format, 0);
  packed.writeUInt8(count, 1);
  packed.writeUInt16LE(features.width, 2);
  packed.writeUInt16LE(features.height, 4);
  packed.set(miniature.luma, headerBytes);
  packed.set(miniature.blue, headerBytes + lumaSide ** 2);
  packed.set(miniature.red, headerBytes + lumaSide ** 2 + chromaSide ** 2);
  const points = headerBytes + miniatureBytes;
  for (let k = 0; k < count; k += 1) {
    const [x = 0, y = 0, angle = 0] = features.points.subarray(k * 3, k * 3 + 3);
    packed.writeUInt16LE(Math.round((x / features.width) * 0xffff), points + k * pointBytes);
    packed.writeUInt16LE(Math.round((y / features.height) * 0xffff), points + k * pointBytes + 2);
    packed.writeUInt8(Math.round((angle / (2 * Math.PI)) * 256) & 0xff, points + k * pointBytes + 4);
  }
  packed.set(features.descriptors.subarray(0, count * descriptorBytes), points + count * pointBytes);
  return packed;
}

/** Whether bytes are details in this format. */
export function areDetails(packed: Buffer): boolean {
  if (packed.length < headerBytes + miniatureBytes || packed.readUInt8(0) !== format) return false;
  return packed.length === headerBytes + miniatureBytes + packed.readUInt8(1) * (pointBytes + descriptorBytes);
}

/** Unpacks stored details; null if they have another format. */
export function unpackDetails(packed: Buffer): Details | null {
  if (!areDetails(packed)) return null;
  const count = packed.readUInt8(1);
  const points = headerBytes + miniatureBytes;
  const [width, height] = [packed.readUInt16LE(2), packed.readUInt16LE(4)];
  const part = (start: number, length: number) => new Uint8Array(packed.subarray(start, start + length));
  const blue = headerBytes + lumaSide ** 2;
  return {
    miniature: {
      luma: part(headerBytes, lumaSide ** 2),
      blue: part(blue, chromaSide ** 2),
      red: part(blue + chromaSide ** 2, chromaSide ** 2),
    },
    features: {
      width,
      height,
      points: unpackPoints(packed, points, count),
      descriptors: part(points + count * pointBytes, count * descriptorBytes),
    },
  };
}

function unpackPoints(packed: Buffer, start: number, count: number): Float32Array {
  const [width, height] = [packed.readUInt16LE(2), packed.readUInt16LE(4)];
  const points = new Float32Array(count * 3);
  for (let k = 0, at = start; k < points.length; k += 3, at += pointBytes) {
    points[k] = (packed.readUInt16LE(at) / 0xffff) * width;
    points[k + 1] = (packed.readUInt16LE(at + 2) / 0xffff) * height;
    points[k + 2] = (packed.readUInt8(at + 4) / 256) * 2 * Math.PI;
  }
  return points;
}
