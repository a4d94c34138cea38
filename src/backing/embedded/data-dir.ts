import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { refusalInWords } from '../../lib/system-refusals.ts';
import { makeOpenFolder } from './open-folders.ts';

/** Creates DATA_DIR if it is missing. @throws SetupError that says why it cannot be written. */
export function makeDataDir(dataDir: string): void {
  try {
    // Root runs PostgreSQL as another account, which has to be able to pass through.
    if (process.getuid?.() === 0) makeOpenFolder(dataDir);
    else makeFolder(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw notWritable(dataDir, error);
  }
}

/** The error for a DATA_DIR that this user cannot write to. */
export function notWritable(dataDir: string, error: unknown): SetupError {
  return refused(dataDir, 'written', deepestRefusal(dataDir, error));
}

function refused(dataDir: string, use: 'read' | 'written', error: unknown): SetupError {
  const reason = refusalInWords(error) ?? String(error);
  return new SetupError(
    `DATA_DIR ${dataDir} cannot be ${use}: ${reason}.\nRun this as its owner, or set DATA_DIR to another folder.`,
  );
}

/**
 * On a read-only file system, Node claims that the path of a new folder does not exist; its parent tells the real
 * reason.
 */
function deepestRefusal(folder: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  const existing = existingParent(folder);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return error;
  } catch (refusal) {
    return refusal;
  }
}

function existingParent(folder: string): string {
  return existsSync(folder) ? folder : existingParent(dirname(folder));
}

/**
 * Whether DATA_DIR has an embedded database, or had one that its files still refer to.
 *
 * @throws SetupError if this user may not look into it.
 */
export function hasEmbeddedCatalog(dataDir: string): boolean {
  refuseClosed(dataDir);
  return existsSync(join(dataDir, 'postgres.json')) || existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
}

/**
 * Files in a folder that may not be entered seem not to exist. Such a folder is refused, so that it does not pass
 * for one without a database.
 */
function refuseClosed(dataDir: string): void {
  try {
    statSync(join(dataDir, 'postgres.json'), { throwIfNoEntry: false });
  } catch (error) {
    throw refused(dataDir, 'read', error);
  }
}

/** @throws SetupError if DATA_DIR has no embedded database: a command that only reads must not create one. */
export function requireEmbeddedCatalog(dataDir: string): void {
  if (hasEmbeddedCatalog(dataDir)) return;
  const state = statSync(dataDir, { throwIfNoEntry: false }) === undefined ? ', which does not exist' : '';
  throw new SetupError(
    `There is no catalog in DATA_DIR ${dataDir}${state}.\n` +
      'Set DATA_DIR to the folder of the service, or DATABASE_URL to its database. The first start creates a catalog: vitrine serve',
  );
}
