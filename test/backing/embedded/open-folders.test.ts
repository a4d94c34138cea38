import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { letOthersPass, letOthersRun, makeOpenFolder } from '../../../src/backing/embedded/open-folders.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('folders for the account of PostgreSQL, with a umask of 077', () => {
  let former = 0;
  beforeAll(() => void (former = process.umask(0o077)));
  afterAll(async () => {
    process.umask(former);
    await cleanUp();
  });

  it('let it pass through what is created, and leave what was there', () => {
    const there = newFolder({ mode: 0o700 });
    const folder = join(there, 'above', 'own');
    makeOpenFolder(folder);
    expect([folder, join(there, 'above'), there].map(modeOf)).toEqual(['711', '711', '700']);
    makeOpenFolder(there);
    expect(modeOf(there)).toBe('700');
    letOthersPass(there);
    expect(modeOf(there)).toBe('711');
  });

  it('let it read libraries and run programs', () => {
    const folder = newFolder({ mode: 0o700 });
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/program'), '', { mode: 0o700 });
    writeFileSync(join(folder, 'bin/library'), '');
    symlinkSync('nowhere', join(folder, 'bin/link'));
    letOthersRun(folder);
    expect(['.', 'bin', 'bin/program', 'bin/library'].map((path) => modeOf(join(folder, path)))).toEqual([
      '755',
      '755',
      '755',
      '644',
    ]);
  });
});
