import { performance } from 'node:perf_hooks';
import { Agent } from 'node:http';
import pg from 'pg';
import { getOnce, median, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

const elements = 10_000;
/** The first round warms up and is not counted. */
const rounds = 4;
const singleWrites = 200;
const changes = 1_000_000;

/** Turns off the history of changed images, and the list of unchanged elements that would replace it. */
const withoutHistory = `
  ALTER TABLE image DISABLE TRIGGER image_history_changed;
  CREATE OR REPLACE FUNCTION bench_nothing() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE OR REPLACE TRIGGER bench_nothing BEFORE INSERT ON operation_unchanged FOR EACH ROW EXECUTE FUNCTION bench_nothing()`;
const withHistory = `
  ALTER TABLE image ENABLE TRIGGER image_history_changed;
  DROP TRIGGER IF EXISTS bench_nothing ON operation_unchanged`;

type Service = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>;

/** Costs of the history of records: patches, single writes, undo, bytes, and reading at a moment. */
export async function benchHistory(world: World): Promise<void> {
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const asked = { url: service.url, headers: { 'API-Key': world.key, 'Content-Type': 'application/json' } };
  try {
    await benchBatches(asked, client);
    await benchSingleWrites(asked, client);
    await benchMoments(asked, client, world);
  } finally {
    await client.end();
    await service.stop();
  }
}

/** Sends a write and waits for it. @returns its number and how long it took. */
async function write({ url, headers }: Service, method: string, path: string, body?: unknown) {
  const began = performance.now();
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body ?? null) });
  const { operation_id: id } = (await answer.json()) as { operation_id: number };
  for (;;) {
    const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as {
      is_finished: boolean;
      num_bad: number;
    };
    if (record.num_bad > 0) throw new Error(`${record.num_bad} elements of ${method} ${path} failed`);
    if (record.is_finished) return { id, ms: performance.now() - began };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Different captions for the same images in each round. */
function patchOf(round: number): readonly Readonly<{ id: string; caption: string }>[] {
  return Array.from({ length: elements }, (_, n) => ({
    id: `image-${n + 1}`,
    caption:
      `Caption ${n} of round ${round}, which says in a sentence or two what can be seen in the picture and who took it. `.repeat(
        2,
      ),
  }));
}

async function bytesOfHistory(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`SELECT pg_total_relation_size('image_change')::float8 AS bytes`);
  return rows[0].bytes;
}

async function benchBatches(service: Service, client: pg.Client): Promise<void> {
  const [bare, kept, undone]: [number[], number[], number[]] = [[], [], []];
  const perField: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await client.query(withoutHistory);
    bare.push((await write(service, 'PATCH', '/imgs', patchOf(round * 2))).ms);
    await client.query(withHistory);
    const before = await bytesOfHistory(client);
    const patched = await write(service, 'PATCH', '/imgs', patchOf(round * 2 + 1));
    kept.push(patched.ms);
    undone.push((await write(service, 'POST', `/ops/${patched.id}/undo`)).ms);
    // The undo changes the same fields once more. The index grows in jumps when its pages are split, so only a mean
    // shows its cost.
    perField.push(((await bytesOfHistory(client)) - before) / (2 * elements));
  }
  const [without, withIt, back] = [bare, kept, undone].map((each) => median(each.slice(1))) as [number, number, number];
  const ms = (value: number) => `${Math.round(value)} ms`;
  report(
    'batch patch of 10 000 with history',
    ratio(withIt, without),
    '≤ 1.25 ×',
    `${ms(withIt)}, without ${ms(without)}`,
  );
  report('undo of a batch patch of 10 000', ratio(back, withIt), '≤ 1.5 ×', ms(back));
  const bytes = perField.reduce((sum, each) => sum + each, 0) / perField.length;
  const former = Math.round(
    Buffer.byteLength(
      patchOf(0)
        .map(({ caption }) => caption)
        .join(''),
    ) / elements,
  );
  const target = `≤ ${Math.round(former * 1.5 + 60)} B`;
  report(`history of a changed field of ${former} bytes`, `${Math.round(bytes)} B`, target, 'with indexes');
}

async function benchSingleWrites(service: Service, client: pg.Client): Promise<void> {
  const found: Record<'bare' | 'kept', number[]> = { bare: [], kept: [] };
  for (let part = 0; part < 10; part += 1) {
    for (const name of ['bare', 'kept'] as const) {
      await client.query(name === 'bare' ? withoutHistory : withHistory);
      for (let n = 0; n < singleWrites / 10; n += 1) {
        const began = performance.now();
        const body = JSON.stringify({ title: `Title ${name} ${part} ${n}` });
        const { headers } = service;
        const answer = await fetch(`${service.url}/imgs/image-${n + 1}?wait=true`, { method: 'PATCH', headers, body });
        await answer.arrayBuffer();
        found[name].push(performance.now() - began);
      }
    }
  }
  const [bare, kept] = [median(found.bare), median(found.kept)];
  const figures = `${kept.toFixed(1)} ms, without ${bare.toFixed(1)} ms`;
  report('single write with history, p50', ratio(kept, bare), '≤ 1.1 ×', figures);
}

/** Reads records as they were at a moment, each changed many times since. */
async function benchMoments({ url }: Service, client: pg.Client, { key }: World): Promise<void> {
  await client.query(
    `INSERT INTO image_change (tenant_id, row_id, action, at, before)
     SELECT i.tenant_id, i.row_id, 'changed', now() - (10 - n) * interval '1 day', jsonb_build_object('caption', 'Caption ' || n)
     FROM image i, generate_series(1, $1::int / (SELECT count(*) FROM image)::int) AS n ORDER BY n, i.row_id`,
    [changes],
  );
  await client.query(
    "UPDATE image SET created_at = LEAST(created_at, now() - interval '30 days') WHERE row_id % 100 = 0",
  );
  await client.query('VACUUM ANALYZE image_change');
  const at = new Date(Date.now() - 4.5 * 86_400_000).toISOString();
  const { rows } = await client.query<{ id: string }>(
    'SELECT image_id AS id FROM image WHERE row_id % 100 = 0 LIMIT 300',
  );
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (const { id } of rows) {
    const began = performance.now();
    await getOnce(`${url}/imgs/${id}?at=${at}`, key, agent);
    times.push(performance.now() - began);
  }
  agent.destroy();
  report(
    'GET /imgs/{id}?at= at 1 M changes, p50',
    `${median(times).toFixed(1)} ms`,
    '≤ 5 ms',
    `${rows.length} records`,
  );
}
