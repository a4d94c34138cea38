import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { command } from '../support/command.ts';
import { emptyDatabase } from '../support/database.ts';
import { cleanUp } from '../support/program.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let folder: string;

beforeAll(async () => {
  world = await openWorld();
  folder = mkdtempSync(join(tmpdir(), 'vitrine-backup-'));
  writeFileSync(join(world.media, 'backup-key'), 'a key of sixteen letters or more');
});
afterAll(async () => {
  cleanUp();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function vitrine(args: readonly string[], environment: Record<string, string>): Promise<void> {
  const { code, output } = await command(args, { BACKUP_KEY: 'a key of sixteen letters or more', ...environment });
  expect([code, output]).toEqual([0, expect.any(String)]);
}

it(
  'a backup has the uploaded files, which are sources again where it is restored; --no-uploads leaves them out',
  full,
  async () => {
    const client = await world.client({ tenant: 'ours', role: 'editor' });
    const bytes = randomBytes(9 * 2 ** 20);
    const sent = await fetch(`${world.url}/uploads`, {
      method: 'POST',
      headers: { 'API-Key': client.key },
      body: bytes,
    });
    const { src_path: path } = (await sent.json()) as { src_path: string };
    const own = { DATABASE_URL: world.backing.database.pool.options.connectionString ?? '', DATA_DIR: world.media };
    const [whole, without] = [join(folder, 'whole.tar'), join(folder, 'without.tar')];
    await vitrine(['backup', whole], own);
    await vitrine(['backup', without, '--no-uploads'], own);
    for (const [archive, isIn] of [
      [whole, true],
      [without, false],
    ] as const) {
      const empty = await emptyDatabase(inject('postgresUrl'));
      const dataDir = mkdtempSync(join(folder, 'data-'));
      await vitrine(['restore', archive], { DATABASE_URL: empty.url, DATA_DIR: dataDir });
      const url = empty.url;
      const restored = await openWorld({
        database: { url, drop: () => empty.drop() },
        environment: { DATA_DIR: dataDir },
      });
      const { rows } = await restored.backing.database.pool.query<{ id: number }>('SELECT tenant_id AS id FROM upload');
      const file = await restored.uploads.open(rows[0]?.id ?? 0, path);
      const read = await file?.read(0, file.size).catch(() => null);
      expect(read?.equals(bytes) ?? false).toBe(isIn);
      await restored.close();
    }
  },
);
