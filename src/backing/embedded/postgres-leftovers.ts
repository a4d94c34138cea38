import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the children of a killed PostgreSQL may take to notice; one in a long statement is slow. */
const patienceMs = 60_000;

/** The process that the lock of a data folder names; null also for a lock that is just being written. */
export function postmasterPid(folder: string): number | null {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return null;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  return pid > 0 ? pid : null;
}

/** Whether the process that the lock names is a PostgreSQL; where there is no /proc, whether it is anything. */
export function postmasterIsAlive(folder: string): boolean {
  const pid = postmasterPid(folder);
  if (pid === null || !processIsAlive(pid)) return false;
  if (!existsSync('/proc/self/cmdline')) return true;
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path, 'utf8').includes('postgres');
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
 * Makes way for a new PostgreSQL after one that was killed. Its children live on until they notice,
 * and two generations on one folder would destroy it: PostgreSQL refuses to start beside them, by
 * what its lock says, so the lock stays and they are waited for.
 *
 * After a power cut the lock can name a process that is something else by now, and PostgreSQL would
 * refuse to start for ever; such a lock is removed. On Linux the truth is in /proc; elsewhere
 * PostgreSQL decides.
 */
export async function clearLeftovers(folder: string): Promise<void> {
  if (!existsSync('/proc/self/cmdline')) return;
  const deadline = Date.now() + patienceMs;
  while (hasProcessesIn(folder) && Date.now() < deadline) await sleep(50);
  const pid = postmasterPid(folder);
  const isForeign = pid !== null && processIsAlive(pid) && !postmasterIsAlive(folder);
  if (isForeign) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** Each process of PostgreSQL works in its data folder. */
function hasProcessesIn(folder: string): boolean {
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workingFolder(name) === folder);
}

function workingFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // It has ended, or is another user's.
  }
}
