import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../lib/errors.ts';

/** An operating system user that a program can be started as. */
export type Account = Readonly<{ name: string; uid: number; gid: number }>;

type Owner = Pick<Account, 'uid' | 'gid'>;

/** Accounts that exist on ordinary systems and own nothing worth protecting, most suitable first. */
const candidates = ['postgres', 'nobody', 'daemon'];

/**
 * The account to run PostgreSQL as; null for the current one. PostgreSQL refuses to run as root, so root runs it as
 * somebody else: as the owner of the data or of DATA_DIR, unless that is root, otherwise as an existing account.
 */
export function accountForPostgres(dataFolder: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts();
  const named = (owner: Owner) => accounts.find(({ uid }) => uid === owner.uid);
  const nameless = (owner: Owner) => ({ name: String(owner.uid), ...owner });
  const owner = ownerOf(dataFolder);
  if (owner !== null) return named(owner) ?? nameless(owner);
  const common = candidates.flatMap((name) => accounts.filter((account) => account.name === name))[0];
  const parent = dirname(dataFolder);
  const ofParent = ownerOf(parent);
  if (ofParent !== null) {
    const account = named(ofParent);
    if (account !== undefined) return account;
    // The owner of a mounted folder may have a name only on the host, but initdb needs one here.
    if (common === undefined || !canEnter(parent, common)) return nameless(ofParent);
  }
  if (common !== undefined) return common;
  throw new SetupError(
    'PostgreSQL refuses to run as root, and this system has none of the accounts ' +
      `${candidates.join(', ')}. Start Vitrine as an ordinary user, or set DATABASE_URL.`,
  );
}

/** Null if there is no such folder, or root owns it. */
function ownerOf(folder: string): Owner | null {
  if (!existsSync(folder)) return null;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? null : { uid, gid };
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
