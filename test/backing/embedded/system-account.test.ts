import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { accountForPostgres } from '../../../src/backing/embedded/system-account.ts';
import { cleanUp, newFolder, run } from '../../support/program.ts';

/** A user id that has no name here, as that of a host in a container. */
const nameless = 54_321;

afterAll(cleanUp);

function folderOf(uid: number, mode: number): string {
  const folder = newFolder({ mode });
  chownSync(folder, uid, uid);
  return folder;
}

describe.skipIf(process.getuid?.() !== 0)('with a folder whose owner has no name, root', () => {
  it('runs a new PostgreSQL as one of the usual accounts, which have one', () => {
    expect(accountForPostgres(join(folderOf(nameless, 0o755), 'postgres'))?.uid).not.toBe(nameless);
  });

  it('runs one that is there as its owner', () => {
    const data = join(folderOf(0, 0o755), 'postgres');
    mkdirSync(data);
    chownSync(data, nameless, nameless);
    expect(accountForPostgres(data)).toEqual({ name: String(nameless), uid: nameless, gid: nameless });
  });

  it('is told what to do where these accounts cannot enter', async () => {
    const { ended, output } = run(['serve'], { DATA_DIR: folderOf(nameless, 0o700), PORT: '0' });
    expect(await ended).toBe(1);
    expect(output()).toContain('user does not exist\nRun it as a user listed in /etc/passwd, or set DATABASE_URL');
  });
});
