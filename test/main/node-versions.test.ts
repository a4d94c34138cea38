import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { full } from '../support/effort.ts';
import { start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';

/** Programs of other versions of Node, as `.ci/run` installs them. */
const nodes = (process.env['VITRINE_NODES'] ?? '').split(delimiter).filter((path) => path !== '' && existsSync(path));
const versions = nodes.map((path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path] as const);
const why = versions.length === 0 ? ' (skipped: VITRINE_NODES names no other Node)' : '';
const key = 'a-key-of-the-operator-0001';

describe.skipIf(versions.length === 0)(`another version of Node${why}`, () => {
  it.each(versions)('%s runs the service, which stores, analyzes and finds pictures', full, async (_, node) => {
    const environment = {
      DATA_DIR: newDataFolder(),
      ADMIN_API_KEY: key,
      MEDIA_ROOTS: join(packageRoot, 'examples/pictures'),
    };
    const service = await start(environment, undefined, node);
    const client = createClient(service.url, key);
    const pictures = ['boats', 'copy'].map((id) => ({ id, src_path: 'nagasaki-boats.jpg', title: 'Boats' }));
    expect((await client.rest('POST', '/imgs?wait=true&lang=en', pictures)).status).toBe(201);
    const analyzed = async () => (await client.rest('GET', '/imgs?q=boats%20ai_status:ready&count=true')).body.count;
    await expect.poll(analyzed, { timeout: 60_000 }).toBe(2);
    const found = await client.rest('GET', '/imgs?q=i%3D%3Dboats&fields=image_id');
    expect(found.body.results).toMatchObject([{ image_id: 'copy' }]);
    expect(await stop(service)).toBe(0);
  });

  it.each(versions)('%s runs tests', full, (_, node) => {
    const args = [join(packageRoot, 'node_modules/vitest/vitest.mjs'), 'run', 'test/lib/heap-flags.test.ts'];
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync(node, args, {
      cwd: packageRoot,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect(`${stdout}${stderr}`).toMatch(/Test Files +1 passed/);
    expect(status).toBe(0);
  });
});
