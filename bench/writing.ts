import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import pg from 'pg';
import sharp from 'sharp';
import { median, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

const elements = 10_000;
/** The first round warms up and is not counted. */
const rounds = 4;

/** A batch of 10 000 elements with tiny files, compared with decoding the files and one bulk insert. */
export async function benchWriting(world: World): Promise<void> {
  const media = join(world.folder, 'media');
  const names = await makePictures(media);
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const bare: number[] = [];
  const ours: number[] = [];
  const accepted: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const bareRate = elements / (await bareSeconds(world, names, media));
    const { acceptSeconds, totalSeconds } = await ourSeconds(service.url, world.key, names, round);
    if (round === 0) continue;
    bare.push(bareRate);
    ours.push(elements / totalSeconds);
    accepted.push(acceptSeconds);
  }
  await service.stop();
  const figures = `${Math.round(median(ours))}/s, bare ${Math.round(median(bare))}/s`;
  report('records stored, 10 000 batch of tiny files', ratio(median(ours), median(bare)), '≥ 0.7 ×', figures);
  report('the same batch until it is accepted', `${median(accepted).toFixed(2)} s`, '< 1 s', '');
}

/** Creates a hundred tiny files below a folder; returns their names. */
export async function makePictures(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  return Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const name = `tiny-${n}.jpg`;
      const background = { r: (n * 41) % 256, g: (n * 17) % 256, b: (n * 91) % 256 };
      await sharp({ create: { width: 64, height: 48, channels: 3, background } }).toFile(join(folder, name));
      return name;
    }),
  );
}

function nameOf(names: readonly string[], n: number): string {
  return names[n % names.length] ?? '';
}

/** Reads and decodes with sharp, as many files at a time as there are threads, then runs a single INSERT. */
async function bareSeconds(world: World, names: readonly string[], media: string): Promise<number> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  await client.query('CREATE TABLE bare (LIKE image INCLUDING ALL)');
  const began = performance.now();
  const limit = pLimit(4);
  const rows = await Promise.all(
    Array.from({ length: elements }, (_, n) =>
      limit(async () => {
        const bytes = readFileSync(join(media, nameOf(names, n)));
        const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
        return { id: `bare-${n}`, width: info.width, height: info.height, size: bytes.length };
      }),
    ),
  );
  await client.query(
    `INSERT INTO bare (row_id, tenant_id, image_id, width, height, lang, format, byte_size, checksum)
     SELECT row_number() OVER (), $1, id, width, height, 'en', 'jpeg', size, ''
     FROM json_to_recordset($2) AS r(id text, width int, height int, size int)`,
    [world.tenantId, JSON.stringify(rows)],
  );
  const seconds = (performance.now() - began) / 1000;
  await client.query('DROP TABLE bare');
  await client.end();
  return seconds;
}

/**
 * Sends a batch of tiny files and waits for it, polling ten times a second, as a client would that cannot be called
 * back.
 */
export async function ourSeconds(url: string, key: string, names: readonly string[], round: number) {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify(
    Array.from({ length: elements }, (_, n) => ({
      id: `round-${round}-${n}`,
      src_path: nameOf(names, n),
      title: `Tiny ${n}`,
    })),
  );
  const began = performance.now();
  const answer = await fetch(`${url}/imgs`, { method: 'POST', headers, body });
  const { operation_id: id } = (await answer.json()) as { operation_id: number };
  const acceptSeconds = (performance.now() - began) / 1000;
  for (;;) {
    const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as {
      is_finished: boolean;
      num_good: number;
    };
    if (record.is_finished) {
      if (record.num_good !== elements) throw new Error(`only ${record.num_good} of ${elements} were stored`);
      return { acceptSeconds, totalSeconds: (performance.now() - began) / 1000 };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
