// Computes the axes of the embedding, src/analysis/assets/embedding-basis.bin, from two kinds of pictures:
// photographs, from which parts are cut, and objects with a transparent background (--objects), which are placed on
// all kinds of backgrounds. In this way, a few pictures stand for many. The random numbers that decide the edits are
// the same in each run. The file contains, in little endian: the mean of the features and a scale for each axis
// (float32), then the axes (int8).
// npm run build && node scripts/fit-embedding.js examples/pictures FOLDER... --objects FOLDER...
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';
import { runOnWebAssembly } from '../dist/src/analysis/networks/tensorflow.js';
import { describePicture, embeddingSize, featureSize } from '../dist/src/analysis/analyzers/embedding.js';
import { principalAxes } from './principal-axes.js';

const cutsPerPhotograph = 30;
const placesPerObject = 3;
/** Longest side of the pictures that are cropped, and of those that are embedded. */
const [openSide, side] = [1024, 320];
/** Keeps strong axes from drowning out the others: each axis is divided by this power of the deviation along it. */
const evening = 0.75;

/** Pseudorandom numbers from 0 to 1, the same in each run (Park and Miller, 1988). */
let seed = 42;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const between = (least, most) => least + (most - least) * random();
const someOf = (list) => list[Math.floor(random() * list.length)];

function filesOf(folders) {
  const names = (folder) => readdirSync(folder, { recursive: true }).toSorted();
  return folders.flatMap((folder) =>
    names(folder)
      .filter((name) => /\.(?:jpe?g|png)$/i.test(name))
      .map((name) => join(folder, name)),
  );
}

const rendered = (image) => image.png({ compressionLevel: 0 }).toBuffer({ resolveWithObject: true });
const opened = (file) =>
  rendered(
    sharp(file)
      .autoOrient()
      .toColourspace('srgb')
      .resize(openSide, openSide, { fit: 'inside', withoutEnlargement: true }),
  );

/** Cuts out a part of any size and proportions. */
function someCut({ data, info }) {
  const share = 0.12 ** random();
  const slant = Math.exp(between(-0.4, 0.4));
  const length = (whole, part) => Math.max(40, Math.min(whole, Math.round(whole * part)));
  const width = length(info.width, share * Math.sqrt(slant));
  const height = length(info.height, share / Math.sqrt(slant));
  const left = Math.floor((info.width - width) * random());
  const top = Math.floor((info.height - height) * random());
  return sharp(data).extract({ left, top, width, height }).flatten({ background: '#fff' });
}

const someColour = () => ({ r: between(0, 255), g: between(0, 255), b: between(0, 255) });

/** Places an object, sometimes six copies of it, on white, black, a color, or a blurred part of a photograph. */
async function somePlace(object, photographs) {
  const width = someOf([320, 280, 360, 240]);
  const height = Math.round(((side * side) / width) * between(0.6, 1));
  const size = between(0.5, 1);
  const small = sharp(object.data).resize(Math.round(width * size), Math.round(height * size), { fit: 'inside' });
  const { data: input, info } = await small.png().toBuffer({ resolveWithObject: true });
  const place = () => ({
    input,
    left: Math.floor((width - info.width) * random()),
    top: Math.floor((height - info.height) * random()),
  });
  const kind = random();
  const background = kind < 0.3 ? '#fff' : kind < 0.36 ? '#000' : someColour();
  const plain = sharp({ create: { width, height, channels: 3, background } });
  const ground =
    kind < 0.5 ? plain : someCut(someOf(photographs)).resize(width, height, { fit: 'fill' }).blur(between(0.5, 3.5));
  const { data } = await rendered(ground);
  // Rendered now, because sharp would apply a later resize before compositing.
  const made = await rendered(sharp(data).composite(Array.from({ length: random() < 0.15 ? 6 : 1 }, place)));
  return sharp(made.data);
}

/**
 * Half of the pictures are also toned, rotated or blurred, so that the axes do not depend on the light in a few
 * pictures.
 */
async function edited(image) {
  const { data } = await rendered(image.resize(side, side, { fit: 'inside' }));
  const made = sharp(data);
  if (random() < 0.5) return made;
  const hue = random() < 0.5 ? Math.floor(360 * random()) : 0;
  if (random() < 0.5) made.modulate({ brightness: between(0.7, 1.3), saturation: between(0.3, 1.7), hue });
  if (random() < 0.15) made.grayscale();
  if (random() < 0.2) made.blur(between(0.5, 3));
  if (random() < 0.3) made.rotate(Math.floor(between(-30, 30)), { background: someOf(['#fff', '#000', '#888']) });
  if (random() < 0.15) made.negate({ alpha: false });
  return made;
}

async function look(image) {
  const { data, info } = await image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return describePicture({ data, width: info.width, height: info.height, channels: info.channels }, runOnWebAssembly);
}

const at = process.argv.indexOf('--objects');
const [photographFolders, objectFolders] =
  at < 0 ? [process.argv.slice(2), []] : [process.argv.slice(2, at), process.argv.slice(at + 1)];
const photographs = await Promise.all(filesOf(photographFolders).map(opened));
const objects = await Promise.all(filesOf(objectFolders).map(opened));

const rows = [];
const total = photographs.length * cutsPerPhotograph + objects.length * placesPerObject;
const add = async (image) => {
  rows.push(await look(await edited(image)));
  process.stderr.write(`${rows.length} of ${total}\r`);
};
for (let cut = 0; cut < cutsPerPhotograph; cut += 1) for (const each of photographs) await add(someCut(each));
for (let k = 0; k < placesPerObject; k += 1) for (const each of objects) await add(await somePlace(each, photographs));

const { mean, axes: found, deviations } = principalAxes(rows, embeddingSize, random);
const scales = new Float32Array(embeddingSize);
const axes = new Int8Array(embeddingSize * featureSize);
for (const [k, axis] of found.entries()) {
  const largest = axis.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  axis.forEach((value, i) => (axes[k * featureSize + i] = Math.round((value / largest) * 127)));
  scales[k] = largest / 127 / deviations[k] ** evening;
}
const parts = [Float32Array.from(mean), scales, axes].map(({ buffer, byteLength }) =>
  Buffer.from(buffer, 0, byteLength),
);
writeFileSync('src/analysis/assets/embedding-basis.bin', Buffer.concat(parts));
process.stdout.write(`${rows.length} of ${photographs.length} photographs and ${objects.length} objects\n`);
