// Computes the axes of the embedding, src/vision/assets/embedding-basis.bin, from the pictures of the folders
// named: each as a whole and in 40 cuts, whose places come from a fixed row of numbers. The file holds, little
// endian: the mean of the features and a scale for each axis (float32), then the axes (int8).
// npm run build && node scripts/fit-embedding.js examples/pictures FOLDER...
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';
import { describe, embeddingSize, featureSize } from '../dist/src/vision/models/embedding.js';

const cutsPerPicture = 40;
const longSide = 512;
const rounds = 40;

/** The same numbers in each run, 0 to 1 (Park and Miller, 1988). */
let seed = 42;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

async function readPictures(folder) {
  const files = readdirSync(folder).filter((name) => /\.(?:jpe?g|png)$/i.test(name));
  return files.toSorted().map((name) => join(folder, name));
}

async function describeCut(file, cut) {
  const image = sharp(file).autoOrient().removeAlpha().toColourspace('srgb');
  if (cut !== null) image.extract(cut);
  image.resize(longSide, longSide, { fit: 'inside', withoutEnlargement: true });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return describe({ data, width: info.width, height: info.height, channels: info.channels });
}

function someCut({ width, height }) {
  const side = () => 0.35 + 0.6 * random();
  const [w, h] = [Math.round(width * side()), Math.round(height * side())];
  return {
    left: Math.floor((width - w) * random()),
    top: Math.floor((height - h) * random()),
    width: w,
    height: h,
  };
}

const rows = [];
const files = (await Promise.all(process.argv.slice(2).map(readPictures))).flat();
for (const file of files) {
  const { autoOrient } = await sharp(file).metadata();
  rows.push(await describeCut(file, null));
  for (let i = 0; i < cutsPerPicture; i += 1) rows.push(await describeCut(file, someCut(autoOrient)));
  process.stderr.write(`${rows.length} of ${files.length * (cutsPerPicture + 1)}\r`);
}

const mean = new Float32Array(featureSize);
for (const row of rows) row.forEach((value, i) => (mean[i] += value / rows.length));
const centred = rows.map((row) => row.map((value, i) => value - mean[i]));

/** Principal axes from the products of all pairs of rows: there are fewer rows than features. */
const count = centred.length;
const products = centred.map((a) =>
  Float64Array.from(centred, (b) => a.reduce((sum, value, i) => sum + value * b[i], 0)),
);

const scales = new Float32Array(embeddingSize);
const axes = new Int8Array(embeddingSize * featureSize);
const found = [];
for (let k = 0; k < embeddingSize; k += 1) {
  let vector = Float64Array.from({ length: count }, () => random() - 0.5);
  let strength = 0;
  for (let round = 0; round < rounds; round += 1) {
    const next = products.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));
    for (const other of found) {
      const shared = other.reduce((sum, value, i) => sum + value * next[i], 0);
      other.forEach((value, i) => (next[i] -= shared * value));
    }
    strength = Math.hypot(...next);
    vector = Float64Array.from(next, (value) => value / strength);
  }
  found.push(vector);
  const axis = new Float64Array(featureSize);
  centred.forEach((row, n) => row.forEach((value, i) => (axis[i] += value * vector[n])));
  const length = Math.sqrt(axis.reduce((sum, value) => sum + value * value, 0));
  const largest = axis.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  axis.forEach((value, i) => (axes[k * featureSize + i] = Math.round((value / largest) * 127)));
  // A unit axis, divided by the root of the deviation along it: strong axes must not drown the others.
  const deviation = Math.sqrt(strength / count);
  scales[k] = largest / 127 / length / Math.sqrt(deviation);
}

const parts = [mean, scales, axes].map(({ buffer, byteLength }) => Buffer.from(buffer, 0, byteLength));
writeFileSync('src/vision/assets/embedding-basis.bin', Buffer.concat(parts));
process.stdout.write(`${rows.length} cuts of ${files.length} pictures\n`);
