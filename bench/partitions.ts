import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { report } from './measure.ts';
import type { World } from './world.ts';

/** A table shaped like ours, whole or partitioned; docs/decisions.md has the measurements of both. */
type Shape = Readonly<{ name: string; create: readonly string[]; indexes: readonly string[] }>;

const tenants = 10;
const weeks = 13;
const hashes = 16;

const printColumns =
  'row_id bigint NOT NULL, tenant_id int NOT NULL, pdq bytea STORAGE PLAIN, regions bytea STORAGE PLAIN, embedding bytea STORAGE MAIN';
const printIndexes = ['UNIQUE INDEX ON %s (row_id)', 'INDEX ON %s (tenant_id, row_id)'];
const changeColumns =
  'id bigint NOT NULL, row_id bigint NOT NULL, operation_id bigint, at timestamptz NOT NULL, tenant_id int NOT NULL, before jsonb NOT NULL';
const changeIndexes = [
  'INDEX ON %s (row_id, id)',
  'INDEX ON %s (operation_id)',
  'INDEX ON %s USING brin (at)',
  `INDEX ON %s (tenant_id, (before ->> 'image_id'))`,
];

const prints: readonly Shape[] = [
  { name: 'print_whole', create: [`CREATE TABLE print_whole (${printColumns})`], indexes: printIndexes },
  {
    name: 'print_by_hash',
    create: [
      `CREATE TABLE print_by_hash (${printColumns}) PARTITION BY HASH (row_id)`,
      ...parts(hashes, (k) => `CREATE TABLE print_by_hash_${k} PARTITION OF print_by_hash FOR VALUES WITH (MODULUS ${hashes}, REMAINDER ${k})`),
    ],
    indexes: printIndexes,
  },
  {
    name: 'print_by_tenant',
    create: [
      `CREATE TABLE print_by_tenant (${printColumns}) PARTITION BY LIST (tenant_id)`,
      ...parts(tenants, (k) => `CREATE TABLE print_by_tenant_${k} PARTITION OF print_by_tenant FOR VALUES IN (${k})`),
    ],
    // Unique only within each partition.
    indexes: ['UNIQUE INDEX ON %s (row_id, tenant_id)', 'INDEX ON %s (tenant_id, row_id)'],
  },
]; // prettier-ignore
const changes: readonly Shape[] = [
  { name: 'change_whole', create: [`CREATE TABLE change_whole (${changeColumns})`], indexes: changeIndexes },
  {
    name: 'change_by_week',
    create: [
      `CREATE TABLE change_by_week (${changeColumns}) PARTITION BY RANGE (at)`,
      ...parts(weeks, (k) => `CREATE TABLE change_by_week_${k} PARTITION OF change_by_week FOR VALUES FROM ('${date(7 * k)}') TO ('${date(7 * k + 7)}')`),
    ],
    indexes: changeIndexes,
  },
]; // prettier-ignore

function parts(count: number, of: (k: number) => string): string[] {
  return Array.from({ length: count }, (_, k) => of(k));
}

function date(days: number): string {
  return new Date(Date.UTC(2026, 0, 1 + days)).toISOString();
}

const printRows = `SELECT n, n % ${tenants}, h, h || h || h || h || h, h || h || h || h FROM generate_series(1, $1::int) AS n, LATERAL (SELECT sha256(n::text::bytea) AS h) AS x`;
const changeRows = `SELECT n, (n::bigint * 7919) % $1 + 1, n / 200, '${date(0)}'::timestamptz + interval '${weeks * 7} days' * (n - 1) / $1, n % ${tenants},
  jsonb_build_object('image_id', 'image-' || n, 'title', repeat('word ', 6)) FROM generate_series(1, $1::int) AS n`;

/** Compares this many fingerprints and changes in one table and in partitions; `npm run bench -- partitions 1000000`. */
export async function benchPartitions({ databaseUrl }: World, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const shape of prints) await measurePrints(client, shape, count);
    for (const shape of changes) await measureChanges(client, shape, count);
  } finally {
    await client.end();
  }
}

async function measurePrints(client: pg.Client, shape: Shape, count: number): Promise<void> {
  await fill(client, shape, printRows, count);
  const { name } = shape;
  await lookUp(client, `${name}: by id`, `SELECT pdq FROM ${name} WHERE row_id = $1`, count);
  await lookUp(client, `${name}: by id and tenant`, `SELECT pdq FROM ${name} WHERE row_id = $1 AND tenant_id = $1 % ${tenants}`, count); // prettier-ignore
  await client.query(`UPDATE ${name} SET pdq = pdq WHERE (row_id / ${tenants}) % 20 = 0`);
  await time(`${name}: VACUUM after 5 % changed`, () => client.query(`VACUUM ${name}`));
  await time(`${name}: removal of a tenant of 10 %`, async () => {
    if (name === 'print_by_tenant') await client.query('DROP TABLE print_by_tenant_3');
    else await client.query(`DELETE FROM ${name} WHERE tenant_id = 3`);
  });
  await time(`${name}: VACUUM after it`, () => client.query(`VACUUM ${name}`));
  await client.query(`DROP TABLE ${name}`);
}

async function measureChanges(client: pg.Client, shape: Shape, count: number): Promise<void> {
  await fill(client, shape, changeRows, count);
  const { name } = shape;
  await lookUp(
    client,
    `${name}: history of a record`,
    `SELECT before FROM ${name} WHERE row_id = $1 ORDER BY id`,
    count,
  );
  await time(`${name}: the oldest week removed`, async () => {
    if (name === 'change_by_week') await client.query('DROP TABLE change_by_week_0');
    else await client.query(`DELETE FROM ${name} WHERE at < '${date(7)}'`);
  });
  await time(`${name}: VACUUM after it`, () => client.query(`VACUUM ${name}`));
  await client.query(`DROP TABLE ${name}`);
}

async function fill(client: pg.Client, { name, create, indexes }: Shape, rows: string, count: number): Promise<void> {
  for (const statement of create) await client.query(statement);
  await time(`${name}: filled`, () => client.query(`INSERT INTO ${name} ${rows}`, [count]));
  await time(`${name}: indexes built`, async () => {
    for (const index of indexes) await client.query(`CREATE ${index.replace('%s', name)}`);
  });
  await client.query(`VACUUM ANALYZE ${name}`);
  const { rows: sizes } = await client.query<{ size: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) AS size FROM pg_class WHERE relkind = 'r' AND relname LIKE '${name}%'`,
  );
  report(`${name}: on disk`, sizes[0]?.size ?? '', '-', '');
}

async function time(what: string, run: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await run();
  report(what, `${((performance.now() - began) / 1000).toFixed(2)} s`, '-', '');
}

const lookUps = 5_000;

async function lookUp(client: pg.Client, what: string, text: string, count: number): Promise<void> {
  const began = performance.now();
  for (let n = 0; n < lookUps; n += 1) {
    await client.query({ name: what, text, values: [1 + ((n * 7_919) % count)] });
  }
  report(what, `${(((performance.now() - began) / lookUps) * 1000).toFixed(0)} µs`, '-', '');
}
