import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, expect, it } from 'vitest';
import { removeDrafts } from '../../../src/backing/embedded/postgres-leftovers.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

afterAll(cleanUp);

it('passwords and keys that a killed process was writing are removed, those of a running one are not', () => {
  const folder = newFolder();
  const none = 2 ** 30; // No system gives an id as large.
  const own = [`.initdb-${process.pid}`, `postgres.json.${process.pid}.part`];
  const kept = [...own, 'postgres.json', 'admin-key', `other.${none}.part`];
  const left = [`.initdb-${none}`, `postgres.json.${none}.part`, `admin-key.${none}.part`];
  for (const name of [...kept, ...left]) writeFileSync(join(folder, name), '');
  removeDrafts(folder);
  expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted());
});
