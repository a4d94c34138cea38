import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '../lib/make-folder.ts';
import { createSecretFile, writeSecretFile } from '../lib/secret-file.ts';

const fileName = 'backup-key';

type Setting = Readonly<{ dataDir: string; backupKey: string | undefined }>;

/**
 * The key that signs archives of this installation; null before the first backup. An empty file, which earlier
 * versions left behind when the disk was full, does not count as a key: anyone could sign with it.
 */
export function findSigningKey({ dataDir, backupKey }: Setting): string | null {
  if (backupKey !== undefined) return backupKey;
  try {
    return readFileSync(join(dataDir, fileName), 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The same key, created if there is none: 256 random bits in DATA_DIR, readable only by its owner. No archive
 * contains it, so whoever stores archives cannot sign others. Null if DATA_DIR is not writable; archives are then not
 * signed.
 */
export function ensureSigningKey(setting: Setting): string | null {
  const known = findSigningKey(setting);
  if (known !== null) return known;
  const key = randomBytes(32).toString('base64url');
  try {
    makeFolder(setting.dataDir);
    const path = join(setting.dataDir, fileName);
    const write = existsSync(path) ? writeSecretFile : createSecretFile;
    write(path, `${key}\n`);
    return key;
  } catch (error) {
    // Another backup created it at the same moment, or it cannot be created.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? findSigningKey(setting) : null;
  }
}
