import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareDatabase, startEmbeddedPostgres } from '../../src/backing/index.ts';
import { onDatabase } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the PostgreSQL of this run; its database `template` has every table. */
    postgresUrl: string;
  }
}

/** One real PostgreSQL for the whole run; each test file clones a database of its own from it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'));
  chmodSync(folder, 0o755); // As root, PostgreSQL runs as another user, who must get in.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings });
  await onDatabase(postgres.url, (client) => client.query('CREATE DATABASE template_vitrine'));
  const template = postgres.url.replace(/\/vitrine$/, '/template_vitrine');
  await prepareDatabase(template, { migrates: true });
  project.provide('postgresUrl', postgres.url);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
