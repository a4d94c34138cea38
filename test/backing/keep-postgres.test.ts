import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBacking, postmasterPid } from '../../src/backing/index.ts';
import type { Backing } from '../../src/backing/index.ts';
import { readConnection } from '../../src/backing/postgres/postgres-connection.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-kept-'));
let backing: Backing;
beforeAll(async () => {
  chmodSync(folder, 0o755);
  backing = await openBacking(readConfig({ DATA_DIR: folder }), createLogger('silent'), { ownsDataDir: true });
});
afterAll(async () => {
  await backing.close();
  rmSync(folder, { recursive: true, force: true });
});

it('an embedded PostgreSQL that is killed is started again beside the running service, at its address', async () => {
  const { pool } = backing.database;
  const pid = postmasterPid(readConnection(folder)?.folder ?? '');
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  process.kill(pid ?? 0, 'SIGKILL');
  const answers = () =>
    pool.query('SELECT pg_postmaster_start_time()').then(
      () => postmasterPid(readConnection(folder)?.folder ?? '') !== pid,
      () => false,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(true);
  await expect
    .poll(
      () =>
        backing.notifications.check().then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
});
