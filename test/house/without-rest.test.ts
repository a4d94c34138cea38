import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { full } from '../support/effort.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { cloneDatabase } from '../support/database.ts';
import { cleanUp, newFolder, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';

/** What the service is built of, but for rest/. */
const parts = ['bin', 'package.json', 'prisma', 'scripts', 'src', 'tsconfig.json', 'tsconfig.build.json'];

/** A copy of the package whose folder rest/ and whose line about it are deleted, built. */
function buildWithoutRest(): string {
  const root = newFolder({ name: 'vitrine-without-rest-' });
  for (const part of parts) cpSync(join(packageRoot, part), join(root, part), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  const table = join(root, 'src/app/http-apis.ts');
  const lines = readFileSync(table, 'utf8').split('\n');
  const kept = lines.filter((line) => !line.includes('/rest/'));
  expect(lines.length - kept.length).toBe(1);
  writeFileSync(table, kept.join('\n'));
  // The benchmarks and the attacks are about REST.
  const build = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as { include: string[] };
  build.include = build.include.filter((folder) => ['src', 'prisma/generated'].includes(folder));
  writeFileSync(join(root, 'tsconfig.build.json'), JSON.stringify(build));
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  node('scripts/copy-assets.js');
  return root;
}

describe('without its folder and its line, REST', full, () => {
  afterAll(cleanUp);

  it('is gone, and the service builds, starts and answers GraphQL', async () => {
    const { url: DATABASE_URL, drop } = await cloneDatabase(inject('postgresUrl'));
    const ADMIN_API_KEY = 'a-key-of-the-operator-0001';
    const service = await start({ DATA_DIR: newFolder(), DATABASE_URL, ADMIN_API_KEY }, buildWithoutRest());
    const client = createClient(service.url, ADMIN_API_KEY);
    expect(service.output()).not.toContain('REST');
    expect((await client.graphql('{ me { tenant roleName } images { count } }')).data).toEqual({
      me: { tenant: 'default', roleName: 'admin' },
      images: { count: 0 },
    });
    const statuses = ['/imgs', '/docs', '/openapi.json', '/health', '/ready'].map(
      async (path) => (await client.rest('GET', path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404, 200, 200]);
    expect(await stop(service)).toBe(0);
    await drop();
  }, 240_000);
});
