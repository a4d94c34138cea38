import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/backing/index.ts';
import { findPostgresFiles } from '../../../src/backing/embedded/postgres-place.ts';
import { readConnection, writeConnection } from '../../../src/backing/postgres/postgres-connection.ts';
import { copyFolder } from '../../support/copy-folder.ts';
import { newDataFolder } from '../../support/data-folder.ts';
import { onDatabase } from '../../support/database.ts';
import { cleanUp, newFolder } from '../../support/program.ts';
import { full } from '../../support/effort.ts';

afterAll(cleanUp);

const namesOf = (url: string) =>
  onDatabase(url, async (client) => (await client.query('SELECT name FROM tenant')).rows.map(({ name }) => name));

it('a data folder that was moved, or copied while its database ran, has its own database', full, async () => {
  const original = newDataFolder();
  const first = await startEmbeddedPostgres({ dataDir: original });
  await onDatabase(first.url, (client) => client.query(`INSERT INTO tenant (name) VALUES ('before')`));
  await onDatabase(first.url, (client) => client.query('CHECKPOINT'));
  const copy = join(newFolder(), 'copy');
  copyFolder(original, copy);
  const second = await startEmbeddedPostgres({ dataDir: copy });
  expect([second.isOurs, second.url === first.url]).toEqual([true, false]);
  await onDatabase(second.url, (client) => client.query(`INSERT INTO tenant (name) VALUES ('in the copy')`));
  expect([await namesOf(first.url), await namesOf(second.url)]).toEqual([['before'], ['before', 'in the copy']]);
  await second.stop();
  expect(await namesOf(first.url)).toEqual(['before']);
  await first.stop();

  const moved = join(newFolder(), 'moved');
  renameSync(original, moved);
  const third = await startEmbeddedPostgres({ dataDir: moved });
  expect(await namesOf(third.url)).toEqual(['before']);
  await third.stop();
});

it('a data folder whose database is elsewhere may be moved; a copy of it is refused, and so is one without database', () => {
  const [original, elsewhere] = [newFolder(), newFolder()];
  const folder = join(elsewhere, 'postgres');
  copyFolder(join(newDataFolder(), 'postgres'), folder);
  writeConnection(original, { port: 1, user: 'vitrine', password: 'x', folder, dataDir: original });
  expect(findPostgresFiles(original, readConnection(original))).toBe(folder);

  const copy = newFolder();
  writeFileSync(join(copy, 'postgres.json'), readFileSync(join(original, 'postgres.json')));
  expect(() => findPostgresFiles(copy, readConnection(copy))).toThrow(
    `${copy} is a copy of ${original}, whose database in ${folder} was not copied.\nTo copy a catalog, use "vitrine backup"`,
  );
  rmSync(join(original, 'postgres.json'));
  expect(findPostgresFiles(copy, readConnection(copy))).toBe(folder);
  rmSync(elsewhere, { recursive: true });
  expect(() => findPostgresFiles(copy, readConnection(copy))).toThrow('where there is none');
});
