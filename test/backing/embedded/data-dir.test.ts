import { chmodSync } from 'node:fs';
import process from 'node:process';
import { afterAll, expect, it } from 'vitest';
import { makeDataDir } from '../../../src/backing/embedded/data-dir.ts';
import { hasEmbeddedCatalog } from '../../../src/backing/index.ts';
import { SetupError } from '../../../src/lib/errors.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

afterAll(cleanUp);

it('a data folder that this user may not enter is refused, not taken for an empty one', () => {
  const folder = newFolder({ mode: 0o700 });
  expect(hasEmbeddedCatalog(folder)).toBe(false);
  // Root may enter any folder.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  else chmodSync(folder, 0);
  try {
    expect(() => hasEmbeddedCatalog(folder)).toThrow(
      new SetupError(
        `DATA_DIR ${folder} cannot be read: permission denied.\nRun this as its owner, or set DATA_DIR to another folder.`,
      ),
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    else chmodSync(folder, 0o700);
  }
});

it.skipIf(process.platform !== 'linux')('a folder where the system lets nobody create any is refused at once', () => {
  for (const folder of ['/proc/vitrine', '/proc/vitrine/data'])
    expect(() => makeDataDir(folder)).toThrow(`DATA_DIR ${folder} cannot be written: `);
});
