import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { postmasterPid } from '../../../src/backing/index.ts';
import { newDataFolder } from '../../support/data-folder.ts';
import { full } from '../../support/effort.ts';
import { cleanUp, newFolder, run } from '../../support/program.ts';
import type { Run } from '../../support/program.ts';

afterAll(cleanUp);

const postmasterOf = (dataDir: string) => postmasterPid(join(dataDir, 'postgres'));

/** A command that uses the database of a folder until it is ended. */
async function watching(DATA_DIR: string): Promise<Run> {
  const started = run(['watch', 'dog'], { DATA_DIR });
  await vi.waitUntil(() => started.output().includes('Watching'), { timeout: 60_000 });
  return started;
}

it('the next command stops the database of a command that was killed', full, async () => {
  const DATA_DIR = newDataFolder();
  const first = await watching(DATA_DIR);
  first.child.kill('SIGKILL');
  await first.ended;
  expect(postmasterOf(DATA_DIR)).not.toBeNull();
  expect(await run(['tenant', 'list'], { DATA_DIR }).ended).toBe(0);
  expect(postmasterOf(DATA_DIR)).toBeNull();
});

it('a command that ends leaves its database to those that still use it; the last of them stops it', full, async () => {
  const DATA_DIR = newDataFolder();
  const first = await watching(DATA_DIR);
  const second = await watching(DATA_DIR);
  first.child.kill('SIGINT');
  await first.ended;
  expect(await run(['tenant', 'list'], { DATA_DIR }).ended).toBe(0);
  expect(postmasterOf(DATA_DIR)).not.toBeNull();
  expect(second.child.exitCode).toBeNull();
  second.child.kill('SIGINT');
  await second.ended;
  expect(second.output()).not.toContain('lost');
  expect(postmasterOf(DATA_DIR)).toBeNull();
});

it('a first start that is killed while it sets up the database is repeated by the next one', full, async () => {
  const DATA_DIR = newFolder({ name: 'vitrine-data-', mode: 0o755 });
  const first = run(['tenant', 'create', 'a'], { DATA_DIR });
  const isSetUp = () =>
    readdirSync(DATA_DIR).some((name) => existsSync(join(DATA_DIR, name, 'postgres', 'PG_VERSION')));
  await vi.waitUntil(isSetUp, { timeout: 60_000, interval: 5 });
  first.child.kill('SIGKILL');
  await first.ended;
  expect(existsSync(join(DATA_DIR, 'postgres'))).toBe(false);
  const second = run(['tenant', 'create', 'a'], { DATA_DIR });
  expect([await second.ended, second.output()]).toEqual([0, expect.stringContaining("Created the tenant 'a'")]);
  expect(readdirSync(DATA_DIR).filter((name) => name.startsWith('.'))).toEqual([]);
});
