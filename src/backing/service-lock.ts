import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { SetupError } from '../errors.ts';
import { processIsAlive } from './postgres-leftovers.ts';

/**
 * Keeps two servers from sharing one embedded database: the first to stop would take it away from
 * the other. Commands of the command line need no lock; they leave the database as they found it.
 *
 * @throws SetupError when another server holds `dataDir`.
 */
export function lockDataDir(dataDir: string): () => void {
  makeDataDir(dataDir);
  const path = join(dataDir, 'server.pid');
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : null;
  if (holder !== null && holder !== process.pid && isServer(holder)) {
    throw new SetupError(
      `Another Vitrine (process ${holder}) already uses ${dataDir}.\n` +
        'Stop it first, give this one another DATA_DIR, or let both share a PostgreSQL by DATABASE_URL.',
    );
  }
  writeFileSync(path, String(process.pid));
  return () => rmSync(path, { force: true });
}

/** A process id can be given to something else after a crash; on Linux /proc tells. */
function isServer(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  if (!existsSync('/proc/self/cmdline')) return processIsAlive(pid);
  return existsSync(path) && /node|vitrine/.test(readFileSync(path, 'utf8'));
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SetupError(
      `${dataDir} cannot be written (${reason}). Start Vitrine as the owner of it, or set DATA_DIR to another folder.`,
    );
  }
}
