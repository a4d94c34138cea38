import { chmodSync, chownSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureSigningKey, findSigningKey } from '../../src/backup/index.ts';
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

  it('is replaced as a whole, so that a full disk or a kill leaves the earlier one', () => {
    const folder = newFolder();
    const path = join(folder, 'secret');
    const earlier = join(folder, 'earlier');
    writeFileSync(path, 'old');
    linkSync(path, earlier);
    writeSecretFile(path, 'new');
    expect([readFileSync(earlier, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old', 'new']);
    expect(readdirSync(folder).toSorted()).toEqual(['earlier', 'secret']);
  });

  it('that is empty is no key of backups: the next backup writes one', () => {
    const setting = { dataDir: newFolder(), backupKey: undefined };
    writeFileSync(join(setting.dataDir, 'backup-key'), '\n');
    expect(findSigningKey(setting)).toBeNull();
    const key = ensureSigningKey(setting);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(findSigningKey(setting)).toBe(key);
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
