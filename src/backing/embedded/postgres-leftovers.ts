import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the child processes of a killed PostgreSQL may take to notice; one in a long statement is slow to. */
const waitMs = 60_000;

/** The process id in the lock file of a data folder; null also while that is being written. */
export function postmasterPid(folder: string): number | null {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return null;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  return pid > 0 ? pid : null;
}

/**
 * Whether the process in the lock file is a PostgreSQL on this folder; without /proc, whether it exists at all. In a
 * copy of a folder, the lock file still names the process of the original.
 */
export function postmasterIsAlive(folder: string): boolean {
  const pid = postmasterPid(folder);
  if (pid === null || !processIsAlive(pid)) return false;
  if (!existsSync('/proc/self/cmdline')) return true;
  const path = `/proc/${pid}/cmdline`;
  if (!existsSync(path) || !readFileSync(path, 'utf8').includes('postgres')) return false;
  return isSameFolder(workingFolder(String(pid)) ?? lockedFolder(folder), folder);
}

/** The folder that the lock file was written for. */
function lockedFolder(folder: string): string {
  return readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[1] ?? folder;
}

function isSameFolder(one: string, other: string): boolean {
  return one === other || (existsSync(one) && realpathSync(one) === realpathSync(other));
}

export function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Prepares a folder for a new PostgreSQL after the previous one was killed. Its child processes live on until they
 * notice, and two generations on one folder would destroy it. The lock file keeps PostgreSQL from starting beside
 * them, so it is left in place while this waits for the children.
 *
 * After a power failure, the lock may name a process id that another program has by now, and PostgreSQL would refuse
 * to start forever; such a lock is removed. On Linux, /proc settles this; elsewhere PostgreSQL decides.
 */
export async function clearLeftovers(folder: string): Promise<void> {
  if (!existsSync('/proc/self/cmdline')) return;
  const deadline = Date.now() + waitMs;
  while (hasProcessesIn(folder) && Date.now() < deadline) await sleep(50);
  const pid = postmasterPid(folder);
  const isForeign = pid !== null && processIsAlive(pid) && !postmasterIsAlive(folder);
  if (isForeign) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/**
 * Names of files and folders that hold a secret while a process sets up the database or writes a key, with the id of
 * that process.
 */
const draft = /^(?:\.initdb-(\d+)|(?:postgres\.json|admin-key|backup-key)\.(\d+)\.part)$/;

/** The folder, beside the final one, in which the data of a new PostgreSQL is created. */
export function draftOf(folder: string): string {
  return join(dirname(folder), `.initdb-${process.pid}`);
}

/** Removes such files and folders if their process was killed before it could. */
export function removeDrafts(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, setUp, written] = draft.exec(name) ?? [];
    const pid = Number(setUp ?? written);
    if (pid > 0 && !processIsAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The working directory of every PostgreSQL process is its data folder. */
function hasProcessesIn(folder: string): boolean {
  const real = realpathSync(folder);
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workingFolder(name) === real);
}

function workingFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // It has ended, or belongs to another user.
  }
}
