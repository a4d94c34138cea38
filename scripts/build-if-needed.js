// Builds what `npm start` runs, unless it is built already: `npm ci` has done so, maybe as another user, who alone may write.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** What the build reads; a folder is newer when something in it came or went. */
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
/** What the build writes into one of them. */
const written = join('prisma', 'generated');
/** Written at the end of each build. */
const stamp = join('dist', '.built');

/** When something was last changed, in milliseconds; 0 where there is nothing. */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Whether something at or below a path is newer than that moment. */
function isNewer(path, than) {
  if (path === written) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // The build makes its folder in there, which changes this one.
  if (found.mtimeMs > than && path !== 'prisma') return true;
  return found.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), than));
}

const builtAt = changedAt(stamp);
if (builtAt === 0 || sources.some((path) => isNewer(path, builtAt))) {
  const { status } = spawnSync('npm run --silent build', { stdio: 'inherit', shell: true });
  if (status !== 0) process.stderr.write('The build failed. Run "npm ci" again as the owner of this folder.\n');
  process.exitCode = status ?? 1;
}
