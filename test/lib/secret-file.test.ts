import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureSigningKey } from '../../src/backup/index.ts';
import { makeOwnedFolder, writeSecretFile } from '../../src/lib/secret-file.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);
const isRoot = process.getuid?.() === 0;

describe('a file with a secret', () => {
  it('can be read by its owner only, even if it could be read by others before', () => {
    const path = join(newFolder(), 'secret');
    writeFileSync(path, 'old', { mode: 0o644 });
    chmodSync(path, 0o644);
    writeSecretFile(path, 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o600]);
  });

  it.skipIf(!isRoot)('that root writes belongs to the owner of its folder, whose service has to read it', () => {
    const dataDir = newFolder();
    chownSync(dataDir, 12_345, 12_346);
    expect(ensureSigningKey({ dataDir, backupKey: undefined })).not.toBeNull();
    const { uid, gid, mode } = statSync(join(dataDir, 'backup-key'));
    expect([uid, gid, mode & 0o777]).toEqual([12_345, 12_346, 0o600]);
    const folder = join(dataDir, 'uploads', '1', 'ab');
    makeOwnedFolder(folder);
    for (const path of [folder, join(folder, '..'), join(dataDir, 'uploads')]) expect(statSync(path).uid).toBe(12_345);
    makeOwnedFolder(folder);
    expect(statSync(folder).gid).toBe(12_346);
  });
});
