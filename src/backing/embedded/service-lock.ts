import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../../lib/errors.ts';
import { makeDataDir, notWritable } from './data-dir.ts';
import { processIsAlive } from './postgres-leftovers.ts';

/**
 * The content of a lock: who holds it, and on which folder, because a copy of the folder comes with a copy of the
 * lock.
 */
type Owner = Readonly<{
  pid: number;
  /** The process that started the server, if there is one. */
  supervisor: number | null;
  /** Empty in a lock of an earlier version. */
  host: string;
  folder: string;
}>;

/** How long a server whose supervisor was killed may take to stop; it notices at once, and gives its requests 5 s. */
const orphanMs = 15_000;
/** How often a server renews its lock, which shows other machines and containers that it is alive. */
const renewMs = 5_000;
/** A lock of another machine is void if nobody has renewed it for this long. */
const foreignMs = 12_000;
/** A lock of another machine that is older than this is void without waiting, unless the clocks differ by as much. */
const oldMs = 600_000;

/**
 * Keeps two servers from sharing one embedded database, which the first to stop would stop for the other. Commands
 * need no lock: they leave the database as they found it.
 *
 * @throws SetupError if another server has the lock of `dataDir`.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  makeDataDir(dataDir);
  const path = lockOf(dataDir);
  const deadline = Date.now() + orphanMs;
  await refuseOtherHost(dataDir);
  for (let owner = ownerOf(dataDir); owner !== null; owner = ownerOf(dataDir)) {
    if (!isOrphan(owner) || Date.now() > deadline) throw inUse(dataDir, `process ${owner.pid}`);
    await sleep(50);
  }
  writeLock(dataDir, path);
  const renewal = setInterval(() => renew(path), renewMs).unref();
  return () => {
    clearInterval(renewal);
    rmSync(path, { force: true });
  };
}

/**
 * Refuses a folder whose server runs on another machine or in another container, where its processes cannot be seen:
 * two databases on the same files destroy them.
 *
 * @throws SetupError if somebody is renewing the lock.
 */
export async function refuseOtherHost(dataDir: string): Promise<void> {
  const path = lockOf(dataDir);
  const owner = readLock(path);
  if (owner === null || owner.host === '' || owner.host === hostname()) return;
  const renewedAt = renewalOf(path);
  if (renewedAt === null || Math.abs(Date.now() - renewedAt) > oldMs) return;
  const deadline = Date.now() + foreignMs;
  while (Date.now() < deadline) {
    await sleep(250);
    const current = renewalOf(path);
    if (current === null) return;
    if (current !== renewedAt) throw inUse(dataDir, `process ${owner.pid} on ${owner.host}`);
  }
}

function inUse(dataDir: string, who: string): SetupError {
  return new SetupError(
    `Another Vitrine (${who}) already uses ${dataDir}.\n` +
      'Stop it first, set another DATA_DIR, or use one PostgreSQL for both with DATABASE_URL.',
  );
}

const lockOf = (dataDir: string) => join(dataDir, 'server.pid');

/** Writes the lock in place of a void one, no matter who owned that. */
function writeLock(dataDir: string, path: string): void {
  const lines = [process.pid, process.connected ? process.ppid : '', hostname(), identityOf(dataDir)];
  try {
    rmSync(path, { force: true });
    writeFileSync(path, `${lines.join('\n')}\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw inUse(dataDir, 'which has just started');
    throw notWritable(dataDir, error);
  }
}

function renew(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Somebody removed it, or the disk is unavailable; the next renewal tries again.
  }
}

function renewalOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Identifies a folder no matter where it is moved; a copy is a different folder. */
function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev}:${ino}`;
}

function readLock(path: string): Owner | null {
  if (!existsSync(path)) return null;
  const [pid = '', supervisor = '', host = '', folder = ''] = readFileSync(path, 'utf8').split('\n');
  return { pid: Number(pid), supervisor: Number(supervisor) || null, host, folder };
}

/** The server that holds the lock of a folder, if it is alive on this machine and is not this one. */
function ownerOf(dataDir: string): Owner | null {
  const owner = readLock(lockOf(dataDir));
  if (owner === null || owner.pid === process.pid || !isServer(owner.pid)) return null;
  if (owner.host !== '' && owner.host !== hostname()) return null;
  return owner.folder === '' || owner.folder === identityOf(dataDir) ? owner : null;
}

/** Whether its supervisor is gone, so that it is about to stop. */
function isOrphan({ supervisor }: Owner): boolean {
  return supervisor !== null && !isServer(supervisor);
}

/** After a crash, another process may get the same id; on Linux, /proc tells. */
function isServer(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  if (!existsSync('/proc/self/cmdline')) return processIsAlive(pid);
  return existsSync(path) && /node|vitrine/.test(readFileSync(path, 'utf8'));
}
