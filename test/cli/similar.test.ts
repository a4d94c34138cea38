import { join } from 'node:path';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { cleanUp, newFolder, run } from '../support/program.ts';

afterAll(cleanUp);

it('vitrine similar shows a mistake at its place in the formula that was typed', async () => {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const picture = join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg');
  const environment = { DATABASE_URL: url, DATA_DIR: newFolder(), ADMIN_API_KEY: 'a-key-of-the-operator-0001' };
  const { code, output } = await command(['similar', picture, '--q', 'country:'], environment);
  expect(code).toBe(1);
  expect(output).toContain('Expected a value at 8\n\ncountry:\n        ^\n');
  const other = await command(['similar', picture, '--q', 'a) OR (b'], environment);
  expect(other.code).toBe(1);
  await drop();
});

it('vitrine similar says how many images wait for analysis, and vitrine follow that no worker runs', full, async () => {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const pictures = join(packageRoot, 'examples', 'pictures');
  const environment = { DATABASE_URL: url, DATA_DIR: newFolder(), MEDIA_ROOTS: pictures };
  expect((await command(['import', pictures], environment)).code).toBe(0);
  const { output } = await command(['similar', join(pictures, 'nagasaki-boats.jpg')], environment);
  expect(output).toContain('No similar image found.\n6 images wait for analysis, and can be found after it.');
  const following = run(['follow'], environment);
  await vi.waitUntil(() => following.output().includes('No worker is running.'), { timeout: 60_000 });
  following.child.kill('SIGINT');
  expect(await following.ended).toBe(130);
  expect(following.output()).toContain('6 of 6 done; 0 of 6 analyzed');
  await drop();
});
