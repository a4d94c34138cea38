// Runs the build that `npm start` needs, unless it is up to date: `npm ci` has already built, perhaps as another
// user, the only one with write permission.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** What the build reads; a folder counts as newer if entries were added or removed. */
const sources = [
  'src',
  'rest',
  'prisma',
  'scripts',
  'console',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** A build output inside one of these folders. */
const written = join('prisma', 'generated');
/** Written at the end of each build. */
const stamp = join('dist', '.built');

/** Time of the last change, in milliseconds; 0 if the path does not exist. */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Whether anything at or below a path is newer than a time. */
function isNewer(path, than) {
  if (path === written) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // The build creates a folder inside prisma/, which changes its time.
  if (found.mtimeMs > than && path !== 'prisma') return true;
  return found.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), than));
}

const builtAt = changedAt(stamp);
if (builtAt === 0 || sources.some((path) => isNewer(path, builtAt))) {
  const { status } = spawnSync('npm run --silent build', { stdio: 'inherit', shell: true });
  if (status !== 0) process.stderr.write('The build failed. Run "npm ci" again as the owner of this folder.\n');
  process.exitCode = status ?? 1;
}
