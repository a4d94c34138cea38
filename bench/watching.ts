import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { median, percentile, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import { measureWebhook } from './webhook.ts';
import type { World } from './world.ts';

/** The first round warms up and records what matches; it is not counted. */
const rounds = 4;
const singleWrites = 60;
/** Numbers of standing formulas; those of the last step are kept for the measurements that follow. */
const counts = [0, 1_000, 10_000];

/** Formulas as editors save them: places, people, keywords with a size, words in a caption. */
const saved = `
  INSERT INTO saved_formula (tenant_id, name, formula)
  SELECT $1, 'bench ' || n, CASE n % 5
    WHEN 0 THEN format('country:"Country %s" AND city:"City %s"', n % 60, n % 400)
    WHEN 1 THEN format('author:"Author %s"', n % 2000)
    WHEN 2 THEN format('keywords:word%s AND width>%s', n % 9000, 1000 + n % 3000)
    WHEN 3 THEN format('(city:"City %s" OR author:"Author %s") AND NOT keywords:word%s', n % 400, n % 2000, n % 50)
    ELSE format('subject%s', n) END
  FROM generate_series(1, $2::int) AS n`;
const standing = 'INSERT INTO standing_formula (tenant_id, name) SELECT tenant_id, name FROM saved_formula';

export type Service = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>;

/** What standing formulas cost a batch, and how soon a match is reported. */
export async function benchWatching(world: World, elements: number): Promise<void> {
  const environment = { ...world.environment, SOURCE_ALLOW: '127.0.0.1/32' };
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const asked = { url: service.url, headers: { 'API-Key': world.key, 'Content-Type': 'application/json' } };
  try {
    const [none = 1, some = 1, many = 1] = await measureBatches(asked, client, elements, world.tenantId);
    const figures = (value: number) => `${Math.round(value)} ms against ${Math.round(none)} ms without`;
    const batch = `batch of ${elements.toLocaleString('en').replace(',', ' ')}`;
    report(`${batch}, 1 000 standing formulas`, ratio(some, none), '≤ 1.1 ×', figures(some));
    report(`${batch}, 10 000 standing formulas`, ratio(many, none), '≤ 1.25 ×', figures(many));
    // The tenant already has the maximum number of formulas.
    await client.query("DELETE FROM saved_formula WHERE name = 'bench 1'");
    await measureTelling(asked);
    await measureWebhook(asked, singleWrites);
  } finally {
    await client.end();
    await service.stop();
  }
}

/** Milliseconds of a batch by number of formulas; alternating, so that changes over time affect all of them. */
async function measureBatches(service: Service, client: pg.Client, elements: number, tenantId: number) {
  const times = counts.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, count] of counts.entries()) {
      await client.query('DELETE FROM saved_formula');
      await client.query(saved, [tenantId, count]);
      await client.query(standing);
      // A different text each time, because otherwise the batch would change nothing.
      times[index]?.push(await patch(service, round * counts.length + index, elements));
      await evaluated(client);
    }
  }
  return times.map((each) => median(each.slice(1)));
}

/** Resolves when all changes have been compared with all formulas. */
async function evaluated(client: pg.Client): Promise<void> {
  const began = performance.now();
  while ((await client.query('SELECT FROM standing_outbox LIMIT 1')).rowCount !== 0) {
    if (performance.now() - began > 600_000) throw new Error('the changes are not evaluated');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function patch({ url, headers }: Service, batch: number, elements: number): Promise<number> {
  const images = Array.from({ length: elements }, (_, n) => ({
    id: `image-${n + 1}`,
    headline: `Headline ${n} of batch ${batch} about subject${n}`,
  }));
  const began = performance.now();
  const answer = await fetch(`${url}/imgs`, { method: 'PATCH', headers, body: JSON.stringify(images) });
  const { operation_id: id } = (await answer.json()) as { operation_id: number };
  for (;;) {
    const record = (await (await fetch(`${url}/ops/${id}`, { headers })).json()) as { is_finished: boolean };
    if (record.is_finished) return performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Time from the reply to a write until its event in a stream, with all formulas. */
async function measureTelling({ url, headers }: Service): Promise<void> {
  const query = 'mutation { saveFormula(name: "told", formula: "status:told", watching: true) { name } }';
  await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const stop = new AbortController();
  const stream = await fetch(`${url}/formulas/told/events`, { headers, signal: stop.signal });
  if (stream.status !== 200) throw new Error(`the stream of events was answered ${stream.status}`);
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const times: number[] = [];
  let text = '';
  for (let n = 0; n < singleWrites; n += 1) {
    const body = JSON.stringify({ status: n % 2 === 0 ? 'told' : 'published' });
    await fetch(`${url}/imgs/image-7?wait=true`, { method: 'PATCH', headers, body });
    const began = performance.now();
    while ((text.match(/^event:/gm) ?? []).length <= n)
      text += Buffer.from((await reader.read()).value ?? []).toString();
    times.push(performance.now() - began);
  }
  stop.abort();
  const p95 = `${percentile(times, 0.95).toFixed(0)} ms`;
  report('write answered to event received, p95', p95, '≤ 250 ms', `median ${median(times).toFixed(0)} ms`);
}
