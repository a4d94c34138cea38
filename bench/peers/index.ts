import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type autocannon from 'autocannon';
import pg from 'pg';
import { packageRoot } from '../../src/lib/package-root.ts';
import { interleaved, ratio, report, requestsPerSecond } from '../measure.ts';
import { residentMiB, startProgram, startServer } from '../processes.ts';
import type { RunningServer } from '../processes.ts';
import { createBareTable } from '../searching/bare.ts';
import { loadRecords } from '../searching/load.ts';
import type { World } from '../world.ts';
import { countries, fields, pageSize, selection, statements, words } from './queries.ts';
import type { QueryName } from './queries.ts';

const connections = 16;
const seconds = 3;
/** The first round is not counted: it takes some ten thousand requests until the code for lists is fully optimized. */
const warmUpSeconds = 15;
const rounds = 5;

/** Required share of the baseline's requests per second, for each query. */
const targets: Readonly<Record<QueryName, number>> = { page: 0.75, count: 0.75, word: 0.6 };
const targetMiB = 350;
const values: Readonly<Record<QueryName, readonly string[]>> = { page: countries, count: countries, word: words };

/** Lists, counts and words compared with node:http, and with FastAPI if Python has it, on one database. */
export async function benchPeers(world: World, size: number): Promise<void> {
  await loadRecords(world.databaseUrl, world.tenantId, size);
  await createBareTable(world.databaseUrl);
  await addIndexes(world.databaseUrl);
  const bare = await startServer(['dist/bench/peers/bare-server.js', ...own(world)]);
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const fastapi = hasFastApi() ? await startFastApi(world) : null;
  for (const name of Object.keys(statements) as QueryName[]) await compare(name, world, { bare, service, fastapi });
  const memory = residentMiB(service.pid);
  report('memory of the service afterwards', `${memory} MiB`, `≤ ${targetMiB} MiB`, '');
  for (const server of [bare, service, fastapi]) await server?.stop();
}

type Servers = Readonly<{ bare: RunningServer; service: RunningServer; fastapi: RunningServer | null }>;

async function compare(name: QueryName, { key }: World, { bare, service, fastapi }: Servers): Promise<void> {
  const headers = { 'API-Key': key };
  const run = (url: string, requests: autocannon.Request[]) => {
    let isWarm = false;
    return () => {
      const duration = isWarm ? seconds : warmUpSeconds;
      isWarm = true;
      return requestsPerSecond({ url, connections, seconds: duration, requests });
    };
  };
  const plain = values[name].map((value) => ({ method: 'GET' as const, path: `/${name}?v=${value}`, headers }));
  const candidates: Record<string, () => Promise<number>> = {
    bare: run(bare.url, plain),
    REST: run(service.url, restRequests(name, headers)),
    GraphQL: run(service.url, graphqlRequests(name, headers)),
  };
  if (fastapi !== null) candidates['FastAPI and asyncpg'] = run(fastapi.url, plain);
  const { bare: base = Number.NaN, ...others } = await interleaved<string>(rounds, candidates);
  for (const [who, rate] of Object.entries(others)) {
    const target = who.startsWith('FastAPI') ? '' : `≥ ${targets[name]} ×`;
    report(`${name}, ${who}`, ratio(rate, base), target, `${Math.round(rate)}/s, bare ${Math.round(base)}/s`);
  }
}

function restRequests(name: QueryName, headers: Readonly<Record<string, string>>): autocannon.Request[] {
  const wanted = fields.map((field) => `fields=${field}`).join('&');
  const pathOf: Readonly<Record<QueryName, (value: string) => string>> = {
    page: (value) => `/imgs?q=country:${value}&sort_by=date&sort_order=desc&limit=${pageSize}&${wanted}`,
    count: (value) => `/imgs?q=country:${value}&limit=1&count=true&fields=image_id`,
    word: (value) => `/imgs?q=${value}&limit=${pageSize}&${wanted}`,
  };
  return values[name].map((value) => ({ method: 'GET', path: pathOf[name](value), headers: { ...headers } }));
}

function graphqlRequests(name: QueryName, headers: Readonly<Record<string, string>>): autocannon.Request[] {
  const list = (order: string) =>
    `query List($q: String!) { images(q: $q, limit: ${pageSize}${order}) { results { ${selection} } } }`;
  const queries: Readonly<Record<QueryName, string>> = {
    page: list(', sortBy: date, sortOrder: desc'),
    count: 'query Count($q: String!) { images(q: $q) { count } }',
    word: list(''),
  };
  const toFormula = (value: string) => (name === 'word' ? value : `country:${value}`);
  return values[name].map((value) => ({
    method: 'POST',
    path: '/graphql',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: queries[name], variables: { q: toFormula(value) } }),
  }));
}

/** The index that one would create by hand for the page. */
async function addIndexes(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE INDEX ON bare_image (tenant_id, country, date_start DESC NULLS LAST, image_id)');
  await client.query('VACUUM ANALYZE bare_image');
  await client.end();
}

function own({ databaseUrl, key, tenantId }: World): [string, string, string] {
  return [databaseUrl, key, String(tenantId)];
}

function hasFastApi(): boolean {
  const isHere = spawnSync('python3', ['-c', 'import fastapi, uvicorn, asyncpg']).status === 0;
  if (!isHere) process.stdout.write('skipped: FastAPI, uvicorn and asyncpg are not installed\n');
  return isHere;
}

function startFastApi(world: World): Promise<RunningServer> {
  const program = join(packageRoot, 'bench', 'peers', 'fastapi_server.py');
  return startProgram(['python3', program, ...own(world), JSON.stringify(statements)]);
}
