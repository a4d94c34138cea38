import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../lib/errors.ts';

/** A user of the operating system that a program can be started as. */
export type Account = Readonly<{ name: string; uid: number; gid: number }>;

/** Accounts that exist on ordinary systems and own nothing worth protecting, in order of preference. */
const candidates = ['postgres', 'nobody', 'daemon'];

/**
 * The account that PostgreSQL must run as; null is the current one. PostgreSQL refuses to run as root, so root uses
 * another account for it: the owner of the data or of DATA_DIR, if that is not root, otherwise an existing one.
 */
export function accountForPostgres(dataFolder: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts();
  const existing = [dataFolder, dirname(dataFolder)].find((folder) => existsSync(folder));
  if (existing !== undefined) {
    const { uid, gid } = statSync(existing);
    if (uid !== 0) return accounts.find((account) => account.uid === uid) ?? { name: String(uid), uid, gid };
  }
  for (const name of candidates) {
    const account = accounts.find((known) => known.name === name);
    if (account !== undefined) return account;
  }
  throw new SetupError(
    'PostgreSQL refuses to run as root, and this system has none of the accounts ' +
      `${candidates.join(', ')}. Start Vitrine as an ordinary user, or set DATABASE_URL.`,
  );
}

/** Whether `account` may enter `folder` and every folder above it. */
export function canEnter(folder: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(folder);
  const allowed = uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001;
  if (allowed === 0) return false;
  const parent = dirname(folder);
  return parent === folder || canEnter(parent, account);
}

function readAccounts(): Account[] {
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name === undefined || uid === undefined ? [] : [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}
