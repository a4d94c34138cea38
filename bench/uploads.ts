import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Upload } from 'tus-js-client';
import { write } from './busy.ts';
import type { Ask } from './busy.ts';
import { ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

const fileBytes = 2e6;
/** Simultaneous uploads, as many as in the console. */
const parallel = 4;
/** Files up to this size are sent with the request that starts their upload, as in the console. */
const wholeBytes = 8 * 2 ** 20;
const largeBytes = 60 * 2 ** 20;
/** The service is killed when this many bytes have been sent. */
const killedAt = 20 * 2 ** 20;

/**
 * Uploading and storing files, compared with copying them below a media root and storing them; and what a killed service
 * loses.
 */
export async function benchUploads(world: World, files = 1_000): Promise<void> {
  const [from, media] = [join(world.folder, 'pictures'), join(world.folder, 'media')];
  for (const folder of [from, media]) mkdirSync(folder, { recursive: true });
  makeFiles(from, files);
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const ask = { url: service.url, key: world.key };
  await writeFirst(ask, from, media);
  const copied = await secondsOf(async () => {
    cpSync(from, media, { recursive: true });
    await write(
      ask,
      elementsOf('copied', names(from), (name) => name),
      Infinity,
    );
  });
  let sending = 0;
  const uploaded = await secondsOf(async () => {
    const began = performance.now();
    const paths = await uploadAll(ask, from);
    sending = (performance.now() - began) / 1_000;
    await write(
      ask,
      elementsOf('uploaded', names(from), (name) => paths.get(name) ?? ''),
      Infinity,
    );
  });
  await requireStored(ask, 2 * files + 1);
  await service.stop();
  const figures = `${uploaded.toFixed(1)} s (${sending.toFixed(1)} s until all were there), cp and import ${copied.toFixed(1)} s`;
  report(`${files} files of 2 MB uploaded and stored`, ratio(uploaded, copied), '≤ 1.5 ×', figures);
  rmSync(from, { recursive: true });
  await benchKilled(world);
}

const names = (folder: string) => readdirSync(folder).toSorted();

/** Photographs that differ only in the bytes appended to them: to the service, each is a different file. */
function makeFiles(folder: string, count: number): void {
  const jpeg = readFileSync(join('examples', 'pictures', 'nagasaki-boats.jpg'));
  for (let n = 0; n < count; n += 1) {
    writeFileSync(join(folder, `${n}.jpg`), Buffer.concat([jpeg, randomBytes(fileBytes - jpeg.length)]));
  }
}

function elementsOf(tag: string, all: readonly string[], pathOf: (name: string) => string): object[] {
  return all.map((name) => ({ id: `${tag}-${name}`, src_path: pathOf(name) }));
}

/** Writes one file before measuring, because the first write is slower. */
async function writeFirst(ask: Ask, from: string, media: string): Promise<void> {
  const [first = ''] = names(from);
  cpSync(join(from, first), join(media, 'first.jpg'));
  await write(ask, [{ id: 'first', src_path: 'first.jpg' }], Infinity);
}

/** Checks that all were stored, because a write that fails is fast. */
async function requireStored({ url, key }: Ask, count: number): Promise<void> {
  const answer = await fetch(`${url}/imgs?count=true&limit=1`, { headers: { 'API-Key': key } });
  const found = (await answer.json()) as { count: number };
  if (found.count !== count) throw new Error(`${found.count} of ${count} records were stored`);
}

async function uploadAll(ask: Ask, folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  const waiting = names(folder);
  const uploader = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      paths.set(name, await upload(ask, readFileSync(join(folder, name)), { name }));
    }
  };
  await Promise.all(Array.from({ length: parallel }, uploader));
  return paths;
}

type Watch = Readonly<{ name: string; onSent?: (bytes: number) => void; onResume?: (offset: number) => void }>;

/** Uploads a file as the console does. @returns its `src_path` */
function upload({ url, key }: Ask, bytes: Buffer, { name, onSent, onResume }: Watch): Promise<string> {
  let srcPath = '';
  return new Promise((resolve, reject) => {
    new Upload(bytes, {
      endpoint: `${url}/uploads`,
      headers: { 'API-Key': key },
      metadata: { filename: name },
      chunkSize: 16 * 2 ** 20,
      uploadDataDuringCreation: bytes.length <= wholeBytes,
      retryDelays: Array<number>(100).fill(300),
      onProgress: (sent) => onSent?.(sent),
      onAfterResponse(request, response) {
        srcPath = decodeURI(response.getHeader('Src-Path') ?? srcPath);
        if (request.getMethod() === 'HEAD') onResume?.(Number(response.getHeader('Upload-Offset')));
      },
      onSuccess: () => resolve(srcPath),
      onError: reject,
    }).start();
  });
}

/** Kills a service in the middle of an upload, and restarts it at the same address. */
async function benchKilled(world: World): Promise<void> {
  const args = ['bin/vitrine.js', 'serve', '--no-supervise'];
  const first = await startServer(args, world.environment);
  let [sent, resumed, isKilled] = [0, largeBytes, false];
  const uploaded = upload({ url: first.url, key: world.key }, randomBytes(largeBytes), {
    name: 'large.jpg',
    onSent: (now) => !isKilled && (sent = now),
    onResume: (offset) => (resumed = offset),
  });
  while (sent < killedAt) await sleep(1);
  isKilled = true;
  process.kill(first.pid, 'SIGKILL');
  const again = await startServer(args, { ...world.environment, PORT: new URL(first.url).port });
  await uploaded;
  await again.stop();
  const lost = Math.max(0, sent - resumed) / 2 ** 20;
  const figures = `killed at ${(sent / 2 ** 20).toFixed(1)} of ${largeBytes / 2 ** 20} MiB`;
  report('sent once more after the service was killed', `${lost.toFixed(1)} MiB`, '≤ 8 MiB', figures);
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
