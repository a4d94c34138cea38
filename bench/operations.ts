import { mkdirSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import sharp from 'sharp';
import { interleaved, median, percentile, ratio, report, requestsPerSecond } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

/** Number of single writes that are measured one after the other, and of those before them for warming up. */
const writes = 200;
const clients = 32;
const seconds = 3;
/** The first round warms up and is not counted. */
const rounds = 4;

type Reply = Readonly<{ status: number; body: { operation_id: number } }>;

/** How soon a single write starts and ends, and how many of them are accepted. */
export async function benchOperations(world: World): Promise<void> {
  const media = join(world.folder, 'media');
  mkdirSync(media, { recursive: true });
  await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } }).toFile(join(media, 'single.jpg'));
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const send = createSender(service.url, world.key);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();

  await singleWrites(send, 'warm');
  const done = await singleWrites(send, 'single');
  const whole = done.map(({ ms }) => ms);
  const tail = `p95 ${percentile(whole, 0.95).toFixed(1)} ms`;
  report('single write, wait=true, tiny file, p50', `${median(whole).toFixed(1)} ms`, '≤ 25 ms', tail);
  const { rows } = await client.query<{ ms: number }>(
    `SELECT extract(epoch FROM started_at - created_at)::float8 * 1000 AS ms FROM operation WHERE id = ANY($1)`,
    [done.map(({ id }) => id)],
  );
  const waits = rows.map(({ ms }) => ms);
  const figures = `p50 ${median(waits).toFixed(1)} ms`;
  report('single write, accepted until started, p95', `${percentile(waits, 0.95).toFixed(1)} ms`, '≤ 15 ms', figures);
  const late = await progressDelays(service.url, world.key, client);
  const middle = `p50 ${median(late).toFixed(0)} ms, ${late.length} events`;
  report('progress until a subscriber has it, p95', `${percentile(late, 0.95).toFixed(0)} ms`, '≤ 150 ms', middle);
  await service.stop();

  await benchAccepting(world, client);
  await client.end();
}

/**
 * Milliseconds from the storing of each chunk of a large batch until a follower learned of it: from its event, or
 * from a later one, since only the newest event is sent if progress is fast. A chunk counts as stored when PostgreSQL
 * notifies other sessions.
 */
async function progressDelays(url: string, key: string, client: pg.Client): Promise<number[]> {
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const elements = Array.from({ length: 6000 }, (_, n) => ({ id: `followed-${n}`, src_path: 'single.jpg' }));
  const accepted = await fetch(`${url}/imgs?lang=en`, { method: 'POST', headers, body: JSON.stringify(elements) });
  const { operation_id: id } = (await accepted.json()) as Reply['body'];
  const stored: number[] = [];
  client.on('notification', ({ payload }) => {
    if (payload === `${id}:progress`) stored.push(Date.now());
  });
  await client.query('LISTEN vitrine_operation');
  const events = await fetch(`${url}/ops/${id}/events`, { headers });
  const seen: { sequence: number; at: number }[] = [];
  for await (const part of events.body ?? []) {
    const at = Date.now();
    const ids = Buffer.from(part)
      .toString()
      .matchAll(/^id: (\d+)$/gm);
    seen.push(...[...ids].map(([, sequence]) => ({ sequence: Number(sequence), at })));
  }
  await client.query('UNLISTEN vitrine_operation');
  const { rows } = await client.query<{ sequence: number }>(
    `SELECT sequence FROM operation_event WHERE operation_id = $1 AND type = 'progress' ORDER BY sequence DESC`,
    [id],
  );
  // Starts from the last chunk: the first may have been stored before this session listened.
  return stored.toReversed().flatMap((at, index) => {
    const known = seen.find(({ sequence }) => sequence >= (rows[index]?.sequence ?? Infinity));
    return known === undefined ? [] : [known.at - at];
  });
}

/**
 * Single writes that many clients send at the same time, compared with one bare INSERT per request. No worker runs
 * meanwhile: applying the accepted writes would be measured as well.
 */
async function benchAccepting(world: World, client: pg.Client): Promise<void> {
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], {
    ...world.environment,
    ROLE: 'api',
  });
  const bare = await startServer(['dist/bench/bare-writer.js', world.databaseUrl, world.key, String(world.tenantId)]);
  const headers = { 'API-Key': world.key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ title: 'A new title for one that is not there' });
  const requests = [{ method: 'PATCH' as const, path: '/imgs/not-there', headers, body }];
  const run = (url: string) => () => requestsPerSecond({ url, connections: clients, seconds, requests });
  const rates = await interleaved(rounds, { bare: run(bare.url), ours: run(service.url) });
  report(
    `single writes accepted, ${clients} clients`,
    ratio(rates.ours, rates.bare),
    '≥ 0.5 ×',
    `${Math.round(rates.ours)}/s, bare ${Math.round(rates.bare)}/s`,
  );
  await bare.stop();
  await service.stop();
  await client.query('TRUNCATE operation CASCADE'); // No worker should ever apply them.
}

type Sender = (method: string, path: string, body: object) => Promise<Reply>;

/** Sends requests over one connection, because the cost of `fetch` itself would be part of every figure. */
function createSender(url: string, key: string): Sender {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(url + path, { method, agent, headers }, (response) => {
        let text = '';
        response.on('data', (part) => (text += String(part)));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Reply['body'] }),
        );
      });
      outgoing.once('error', reject);
      outgoing.end(JSON.stringify(body));
    });
}

/** Writes one after the other, each on an idle server. */
async function singleWrites(send: Sender, name: string): Promise<{ id: number; ms: number }[]> {
  const results: { id: number; ms: number }[] = [];
  for (let i = 0; i < writes; i += 1) {
    const began = performance.now();
    const { status, body } = await send('POST', `/imgs/${name}-${i}?lang=en&wait=true`, { src_path: 'single.jpg' });
    if (status !== 201) throw new Error(`a write was answered ${status}`);
    results.push({ id: body.operation_id, ms: performance.now() - began });
  }
  return results;
}
