// Writes the next migration: npm run migration -- NAME
// It contains the changes in prisma/schema.prisma and prisma/functions/ since the last commit of a migration, and is
// tried on an empty database before it is written.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { migrate, startEmbeddedPostgres } from '../dist/src/backing/index.js';
import { diffSchemas } from './schema-engine.js';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]*$/.test(name)) fail('Name it in lower case, as in: npm run migration -- lens_of_images');

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const last = git('log', '-1', '--format=%H', '--', 'prisma/migrations').trim();
if (last === '') fail('No commit has a migration that this one could follow.');

const [schemaPath, functions] = ['prisma/schema.prisma', 'prisma/functions'];
const schema = readFileSync(schemaPath, 'utf8');
const changed = readdirSync(functions)
  .map((file) => ({ text: readFileSync(`${functions}/${file}`, 'utf8'), former: formerText(`${functions}/${file}`) }))
  .filter(({ text, former }) => text !== former)
  .map(({ text }) => text);

const sql = await withPostgres(async (url) => {
  const tables = await diffSchemas(git('show', `${last}:${schemaPath}`), schema, url);
  const parts = [...(tables === '' ? [] : [tables]), ...changed];
  const text = parts.map((part) => `${part.trim()}\n`).join('\n');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrate(client);
  await client.query(text);
  await client.end();
  return text;
});
if (sql === '') fail('Neither prisma/schema.prisma nor prisma/functions has changed since the last migration.');
const folder = `prisma/migrations/${nextTime()}_${name}`;
mkdirSync(folder);
writeFileSync(`${folder}/migration.sql`, sql);
process.stdout.write(`wrote ${folder}/migration.sql\n`);

async function withPostgres(work) {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-migration-'));
  chmodSync(dataDir, 0o755); // If this is root, PostgreSQL runs as another user, who needs access.
  const postgres = await startEmbeddedPostgres({ dataDir, settings: ['fsync=off'] });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function formerText(path) {
  try {
    return git('show', `${last}:${path}`);
  } catch {
    return null; // The file is new.
  }
}

/**
 * The current time, or a second after the last migration if that is later: migrations are applied in the order of
 * their names.
 */
function nextTime() {
  const stamp = (date) => date.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const latest = readdirSync('prisma/migrations')
    .toSorted()
    .findLast((entry) => /^\d{14}_/.test(entry));
  const [, year, month, day, hour, minute, second] = /^(\d{4})(..)(..)(..)(..)(..)/.exec(latest).map(Number);
  const next = new Date(Date.UTC(year, month - 1, day, hour, minute, second + 1));
  return stamp(new Date(Math.max(Date.now(), next.getTime())));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
