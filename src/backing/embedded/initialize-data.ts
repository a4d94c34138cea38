import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { makeOpenFolder } from './open-folders.ts';
import type { Account } from './system-account.ts';

/**
 * Creates the data folder of a new PostgreSQL. It gets its final name only once it is complete: what a killed initdb
 * leaves behind looks like a database but cannot be opened.
 *
 * @param draft a folder beside it, to use until then; whoever finds it later may remove it.
 * @param account who owns the data and runs initdb; null for this user.
 * @throws SetupError if initdb fails, or if another process has created the folder in the meantime.
 */
export function initializeData(
  initdb: string,
  {
    folder,
    draft,
    password,
    account,
  }: Readonly<{ folder: string; draft: string; password: string; account: Account | null }>,
): void {
  const [data, passwordFile] = [join(draft, 'postgres'), join(draft, 'password')];
  if (account === null) makeFolder(dirname(folder));
  else makeOpenFolder(dirname(folder));
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account !== null) for (const path of [draft, data, passwordFile]) chownSync(path, account.uid, account.gid);
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
  const options = ['-D', data, '-U', 'vitrine', '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256'];
  try {
    const result = spawnSync(initdb, [...options, `--pwfile=${passwordFile}`], {
      encoding: 'utf8',
      cwd: data,
      ...identity,
    });
    if (result.status !== 0) {
      throw new SetupError(failure(folder, result.error?.message ?? result.stderr));
    }
    moveTo(folder, data);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Containers often run as a numeric user id without a name, but initdb asks for the name. */
function failure(folder: string, reason: string): string {
  const hint = reason.includes('could not look up effective user ID')
    ? 'Run it as a user listed in /etc/passwd, or set DATABASE_URL to your own PostgreSQL.'
    : '';
  return `The embedded PostgreSQL could not set up its data in ${folder}:\n${reason}${hint}`;
}

/** Replaces a folder of this name that is empty, or that an earlier version left incomplete. */
function moveTo(folder: string, data: string): void {
  if (existsSync(join(folder, 'PG_VERSION'))) {
    throw new SetupError(`Another Vitrine set up ${folder} at the same moment. Run the command again.`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(data, folder);
}
