import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareDatabase, startEmbeddedPostgres } from '../../src/backing/index.ts';
import { lendPgvector } from '../../bench/pgvector.ts';
import { copyFolder } from './copy-folder.ts';
import { onDatabase } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the PostgreSQL of this run; its database `template_vitrine` has every table. */
    postgresUrl: string;
    /** Where temporary folders of tests are made: in memory, if there is enough. */
    temporary: string;
    /** What was found in pictures: see shared-analyzer.ts. */
    analyses: string;
    /** A DATA_DIR whose embedded PostgreSQL has every table and does not run: see data-folder.ts. */
    dataFolder: string;
  }
}

const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

const memory = '/dev/shm';
const gibibyte = 2 ** 30;

/**
 * Where the data of PostgreSQL and the folders of tests lie: in memory, if there is enough. A copy of a database takes 20 ms
 * of a processor there, and up to half a second on a disk.
 */
function folderOfData(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 4 * gibibyte && freemem() > 6 * gibibyte ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** A new folder that other users may read: as root, PostgreSQL runs as another user, who must get in. */
function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'vitrine-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** Checks passwords the short way: SCRAM takes milliseconds of a processor for each of thousands of connections. */
function admitByMd5(folder: string): void {
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll('scram-sha-256', 'md5'));
}

/**
 * One real PostgreSQL for the whole run; each test file clones a database of its own from it. Tests that start a service on
 * an embedded PostgreSQL copy what it was before that.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = openFolder(folderOfData());
  const inside = (name: string) => join(data, name);
  const [dataDir, template] = [inside('run'), inside('template')];
  const [temporary, analyses] = [inside('tmp'), inside('analyses')];
  for (const folder of [temporary, analyses]) mkdirSync(folder);
  chmodSync(temporary, 0o1777);
  const first = await startEmbeddedPostgres({ dataDir, settings });
  await prepareDatabase(first.url, { migrates: true });
  await first.stop();
  copyFolder(dataDir, template);
  // Only a power cut would show the difference, not a process that is killed.
  appendFileSync(join(template, 'postgres', 'postgresql.auto.conf'), 'fsync = off\n');

  admitByMd5(join(dataDir, 'postgres'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: [...settings, ...lendPgvector(data)] });
  await onDatabase(postgres.url.replace(/\/vitrine$/, '/postgres'), async (client) => {
    await client.query('ALTER DATABASE vitrine RENAME TO template_vitrine');
    await client.query('CREATE DATABASE vitrine');
    await client.query('SET password_encryption = md5');
    await client.query(`ALTER USER vitrine PASSWORD '${new URL(postgres.url).password}'`);
  });
  project.provide('postgresUrl', postgres.url);
  project.provide('temporary', temporary);
  project.provide('analyses', analyses);
  project.provide('dataFolder', template);
  return async () => {
    await postgres.stop();
    rmSync(data, { recursive: true, force: true, maxRetries: 20 });
  };
}
