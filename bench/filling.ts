import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { createRecords } from './searching/records.ts';
import type { BenchRecord } from './searching/records.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

/** Columns that a caller writes; the rest come from the analysis. */
const written = ['title', 'headline', 'caption', 'alt_text', 'status', 'date', 'country', 'city', 'event', 'author', 'provider', 'medium', 'shot', 'keywords', 'categories', 'collections', 'nsfw', 'ai_generated', 'model_release'] as const; // prettier-ignore
const origin = { analyzer: 'builtin', version: '1', milliseconds: 4 };
const box = { x: 0.25, y: 0.25, w: 0.125, h: 0.125 };

/** The details for a closer comparison, as large as those of a photograph: 6.3 KB that cannot be compressed. */
const detailsBytes = { head: 6 + 48 ** 2 + 2 * 12 ** 2, feature: 37, features: 100 } as const;

/** Random bytes with the header of details. */
function detailsOf(number: number): Buffer {
  const { head, feature, features } = detailsBytes;
  const parts = Array.from({ length: Math.ceil((head + features * feature) / 32) }, (_, k) =>
    createHash('sha256').update(`${number} ${k}`).digest(),
  );
  const details = Buffer.concat(parts).subarray(0, head + features * feature);
  details.set([1, features, 0, 2, 0, 2]);
  return details;
}

/** A line of an export in the format `analyzed`, about 4 KB; 12 KB with the details for a closer comparison. */
function lineOf(record: BenchRecord, number: number, hasDetails: boolean): string {
  const hash = createHash('sha256').update(String(number)).digest();
  const faces = Number(record['n_faces'] ?? 0);
  const concepts = ['boat', 'barco', 'barco', 'bateau', 'лодка'];
  const labels = { en: 'boat', es: 'barco', pt: 'barco', fr: 'bateau', ru: 'лодка' };
  const analysis = {
    version: 1,
    columns: {
      width: record['width'], height: record['height'], format: 'jpeg', byteSize: 100_000 + number, checksum: hash.toString('hex'),
      placeholder: hash.subarray(0, 24).toString('base64'), aiStatus: 'ready', lang: record['lang'], nFaces: faces, ocr: null, bw: record['bw'],
      colors: [{ name: 'steelblue', hex: '4682b4', percent: 61.5 }], concepts, provenance: null, duplicateOf: null,
      createdAt: record['created_at'], updatedAt: record['created_at'],
    },
    signature: 'of the bench',
    analyzedAt: record['created_at'],
    facts: {
      shape: { ...origin, result: { width: record['width'], height: record['height'], orientation: 'landscape' } },
      colors: { ...origin, result: { dominant: [{ name: 'steelblue', hex: '#4682b4', percent: 61.5 }], isBlackAndWhite: record['bw'] } },
      faces: { ...origin, result: Array.from({ length: faces }, () => ({ box, confidence: 0.875 })) },
      concepts: { ...origin, result: [{ labels, confidence: 0.75, source: 'objects' }] },
      pdq: origin,
      localFeatures: origin,
      embedding: origin,
    },
    fingerprint: {
      pdq: hash.toString('base64'), quality: 90, regions: Buffer.concat([hash, hash, hash, hash, hash]).toString('base64'),
      details: hasDetails ? detailsOf(number).toString('base64') : null,
      embedding: Buffer.concat([hash, hash, hash, hash]).toString('base64'), model: 'builtin of the bench',
    },
    frames: [],
  }; // prettier-ignore
  const own = Object.fromEntries(written.map((name) => [name, record[name]]));
  return JSON.stringify({ id: `filled-${number}`, src_path: `archive/${number}.jpg`, ...own, analysis });
}

function* linesOf({ count, hasDetails }: Lines): Generator<string> {
  for (let from = 0; from < count; from += 1000) {
    const records = createRecords(from, Math.min(count, from + 1000));
    for (const [index, record] of records.entries()) yield `${lineOf(record, from + index, hasDetails)}\n`;
  }
}

/** The number of lines, and whether they contain the details for a closer comparison. */
type Lines = Readonly<{ count: number; hasDetails: boolean }>;

/** Records per second that `vitrine import --no-fetch` stores, compared with a COPY of the same lines into a bare table. */
export async function benchFilling(world: World, lines: Lines): Promise<void> {
  const { count } = lines;
  const file = join(world.folder, 'filling.ndjson');
  await pipeline(Readable.from(linesOf(lines)), createWriteStream(file));
  const copied = await copySeconds(world.databaseUrl, lines);
  const began = performance.now();
  const { stdout } = await run(
    process.execPath,
    ['bin/vitrine.js', 'import', file, '--no-fetch', '--tenant', 'bench', '--json'],
    { env: { ...process.env, ...world.environment }, maxBuffer: 2 ** 26 },
  );
  const imported = (performance.now() - began) / 1000;
  const { created, seconds } = JSON.parse(stdout) as { created: number; seconds: number };
  if (created !== count) throw new Error(`${created} of ${count} were stored: ${stdout.slice(0, 1000)}`);
  const rate = (each: number) => `${Math.round(count / each)} a second`;
  process.stdout.write(
    `filling: ${count} records with analyses${lines.hasDetails ? ' and details' : ''}: ${rate(seconds)}, with reading the file beforehand ${rate(imported)}; ` +
      `bare COPY ${rate(copied)}, ${(seconds / copied).toFixed(1)} × its time\n`,
  );
}

/** The lines with backslashes doubled, because COPY treats a backslash as an escape. */
function* escaped(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield line.replaceAll('\\', '\\\\');
}

async function copySeconds(url: string, lines: Lines): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE TABLE bare_line (content text NOT NULL)');
    const began = performance.now();
    await pipeline(Readable.from(escaped(linesOf(lines))), client.query(copyFrom('COPY bare_line FROM STDIN')));
    return (performance.now() - began) / 1000;
  } finally {
    await client.query('DROP TABLE IF EXISTS bare_line');
    await client.end();
  }
}
