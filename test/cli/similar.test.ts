import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { cleanUp, newFolder } from '../support/program.ts';

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
