import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../../lib/errors.ts';
import { processIsAlive } from './postgres-leftovers.ts';

/** The owner of a data folder: a server, and the supervisor that started it, if there is one. */
type Owner = Readonly<{ pid: number; supervisor: number | null }>;

/** How long a server whose supervisor was killed may take to stop; it notices at once, and has 5 s for its requests. */
const orphanMs = 15_000;

/**
 * Keeps two servers from sharing one embedded database: the first to stop would stop it for
 * the other. Command-line commands need no lock; they leave the database as they found it.
 *
 * @throws SetupError when another server has the lock of `dataDir`.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  makeDataDir(dataDir);
  const path = join(dataDir, 'server.pid');
  const deadline = Date.now() + orphanMs;
  for (let owner = ownerOf(path); owner !== null; owner = ownerOf(path)) {
    if (!isOrphan(owner) || Date.now() > deadline) {
      throw new SetupError(
        `Another Vitrine (process ${owner.pid}) already uses ${dataDir}.\n` +
          'Stop it first, set another DATA_DIR, or use one PostgreSQL for both with DATABASE_URL.',
      );
    }
    await sleep(50);
  }
  writeFileSync(path, `${process.pid}\n${process.connected ? process.ppid : ''}\n`);
  return () => rmSync(path, { force: true });
}

/** The server that owns a folder, if it is alive and not this one. */
function ownerOf(path: string): Owner | null {
  if (!existsSync(path)) return null;
  const [pid = 0, supervisor = 0] = readFileSync(path, 'utf8').split('\n').map(Number);
  if (pid === process.pid || !isServer(pid)) return null;
  return { pid, supervisor: supervisor > 0 ? supervisor : null };
}

/** Its supervisor is gone, so it is about to stop. */
function isOrphan({ supervisor }: Owner): boolean {
  return supervisor !== null && !isServer(supervisor);
}

/** A process id can be reused after a crash; on Linux /proc shows that. */
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
