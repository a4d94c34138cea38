import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../../lib/errors.ts';
import { readConnection } from '../postgres/postgres-connection.ts';
import type { PostgresAddress } from '../postgres/postgres-connection.ts';

/**
 * Where the files of the embedded PostgreSQL are: in DATA_DIR, even if that was moved or copied; otherwise in the
 * folder that its postgres.json names.
 *
 * @returns null before the first start.
 * @throws SetupError if there are none, or if they belong to another DATA_DIR, of which this one is a copy.
 */
export function findPostgresFiles(dataDir: string, known: PostgresAddress | null): string | null {
  const own = join(dataDir, 'postgres');
  if (known === null || isDatabase(own)) return isDatabase(own) ? own : null;
  if (!isDatabase(known.folder)) {
    throw new SetupError(
      `${join(dataDir, 'postgres.json')} says that the database is in ${known.folder}, where there is none.\n` +
        'Put it back, or restore a backup into another DATA_DIR. To start an empty catalog here, delete postgres.json.',
    );
  }
  const owner = ownerOf(dataDir, known);
  if (owner === null) return known.folder;
  throw new SetupError(
    `${dataDir} is a copy of ${owner}, whose database in ${known.folder} was not copied.\n` +
      'To copy a catalog, use "vitrine backup" and "vitrine restore".',
  );
}

function isDatabase(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'));
}

/** The other DATA_DIR that uses the files that `known` refers to, if there is one. */
function ownerOf(dataDir: string, { folder, dataDir: recorded = dirname(folder) }: PostgresAddress): string | null {
  if (recorded === realpathSync(dataDir) || !existsSync(join(recorded, 'postgres.json'))) return null;
  const [here, there] = [statSync(dataDir), statSync(recorded)];
  const isSame = here.dev === there.dev && here.ino === there.ino;
  return !isSame && readConnection(recorded)?.folder === folder ? recorded : null;
}
