import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { searchWhile, write } from './busy.ts';
import type { Ask } from './busy.ts';
import { getOnce, interleaved, median, percentile, ratio, report, requestsPerSecond } from './measure.ts';
import { startServer } from './processes.ts';
import type { RunningServer } from './processes.ts';
import type { World } from './world.ts';

const seconds = 3;
const rounds = 5;
/** 12 megapixels. */
const large = { width: 4000, height: 3000 } as const;
const largePictures = 40;
/** Previews of each picture that are made while others search. */
const widths = [160, 320, 640, 1280, 2048] as const;
/** Simultaneous requests, as many as a browser sends. */
const connections = 6;
const idleMs = 8_000;

/**
 * Previews from the cache compared with node:http and the same file, making previews compared with sharp alone, and how
 * making many of them slows down searches.
 */
export async function benchPreviews(world: World, previews = 1000): Promise<void> {
  const folder = join(world.folder, 'media');
  mkdirSync(folder, { recursive: true });
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const ask = { url: service.url, key: world.key };
  const names = await makePictures(folder, largePictures, large);
  await storePictures(ask, names);
  const urls = await addressesOf(ask, names, 640);
  const preview = join(folder, 'preview.webp');
  writeFileSync(preview, Buffer.from(await (await fetch(urls[0] ?? '')).arrayBuffer()));
  const bare = await startServer(['dist/bench/bare-previews.js', preview, folder]);
  await benchCache(urls[0] ?? '', bare);
  await benchMaking(urls.slice(1), names.slice(1), bare);
  await bare.stop();
  await benchSearches(ask, folder, previews);
  await service.stop();
}

async function benchCache(url: string, bare: RunningServer): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const run = (base: string, asked: string) => () =>
    requestsPerSecond({ url: base, connections: 16, seconds, requests: [{ method: 'GET', path: asked }] });
  const found = await interleaved(rounds, { bare: run(bare.url, '/'), service: run(origin, path) });
  const figures = `${Math.round(found.service)}/s, bare ${Math.round(found.bare)}/s`;
  report('a preview from the cache', ratio(found.service, found.bare), '≥ 0.8 ×', figures);
}

/** Both sides make each picture once, alternating. */
async function benchMaking(urls: readonly string[], names: readonly string[], bare: RunningServer): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const timeOf = async (url: string) => {
    const began = performance.now();
    await getOnce(url, '', agent);
    return performance.now() - began;
  };
  const times = { service: [] as number[], bare: [] as number[] };
  for (const [index, url] of urls.entries()) {
    times.bare.push(await timeOf(`${bare.url}/${names[index]}`));
    times.service.push(await timeOf(url));
  }
  agent.destroy();
  const [own, alone] = [median(times.service), median(times.bare)];
  const figures = `${own.toFixed(0)} ms, sharp ${alone.toFixed(0)} ms; ${urls.length} pictures`;
  report('a preview of 640 pixels made of 12 megapixels', ratio(own, alone), '≤ 1.15 ×', figures);
}

async function benchSearches(ask: Ask, folder: string, previews: number): Promise<void> {
  const names = await makePictures(folder, Math.ceil(previews / widths.length), { width: 2000, height: 1500 });
  const urls: string[] = [];
  await storePictures(ask, names);
  for (const width of widths) urls.push(...(await addressesOf(ask, names, width)));
  await searchWhile(ask, sleep(idleMs / 2));
  const idle = await searchWhile(ask, sleep(idleMs));
  const busy = await searchWhile(ask, readAll(urls.slice(0, previews)));
  const [p95, before] = [percentile(busy, 0.95), percentile(idle, 0.95)];
  const figures = `${p95.toFixed(1)} ms, idle ${before.toFixed(1)} ms; ${busy.length} searches`;
  report(`search p95 while ${previews} previews are made`, ratio(p95, before), '≤ 2 ×', figures);
}

async function readAll(urls: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const waiting = [...urls];
  const reader = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) await getOnce(url, '', agent);
  };
  await Promise.all(Array.from({ length: connections }, reader));
  agent.destroy();
}

/** Photographs that differ only in the bytes appended to them: to the service, each is a different file. */
async function makePictures(folder: string, count: number, size: { width: number; height: number }): Promise<string[]> {
  const example = sharp(join('examples', 'pictures', 'nagasaki-boats.jpg'));
  const jpeg = await example
    .resize({ ...size, fit: 'cover' })
    .jpeg({ quality: 88 })
    .toBuffer();
  return Array.from({ length: count }, (_, index) => {
    const name = `preview-${size.width}-${index}.jpg`;
    writeFileSync(join(folder, name), Buffer.concat([jpeg, randomBytes(16)]));
    return name;
  });
}

/** Addresses of previews of stored pictures. */
async function addressesOf(ask: Ask, names: readonly string[], width: number): Promise<string[]> {
  const query = 'query ($id: ID!, $width: Int!) { image(id: $id) { preview(width: $width, format: webp) { url } } }';
  const headers = { 'API-Key': ask.key, 'Content-Type': 'application/json' };
  const urls: string[] = [];
  for (const id of names) {
    const body = JSON.stringify({ query, variables: { id, width } });
    const reply = await fetch(`${ask.url}/graphql`, { method: 'POST', headers, body });
    const { data } = (await reply.json()) as { data: { image: { preview: { url: string } } } };
    urls.push(ask.url + data.image.preview.url);
  }
  return urls;
}

async function storePictures(ask: Ask, names: readonly string[]): Promise<void> {
  await write(
    ask,
    names.map((name) => ({ id: name, src_path: name })),
    Infinity,
  );
}
