import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ElementError } from '../../errors.ts';

/** Largest file that is read as a whole; an address may give 64 MiB, one's own disk twice that. */
export const maxFileBytes = 128 * 2 ** 20;

/**
 * Reads a file below one of `roots`. A relative path is looked up in each root in turn; symbolic
 * links are resolved first, so a link out of a root is refused like the path it leads to.
 *
 * @throws ElementError `source_forbidden`, `source_unreachable` or `too_large`. A path outside the
 *   roots answers the same whether it exists or not.
 */
export async function readPath(srcPath: string, roots: readonly string[]): Promise<Buffer> {
  if (srcPath.includes('\0')) throw forbidden();
  const path = await resolvePath(srcPath, roots);
  let file: FileHandle;
  try {
    // Non-blocking: opening a FIFO would otherwise wait for a writer for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unreachable((error as NodeJS.ErrnoException).code ?? 'unreadable');
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw forbidden();
    if (stats.size > maxFileBytes) {
      throw new ElementError('too_large', `the file is larger than ${maxFileBytes / 2 ** 20} MiB`, 'src_path');
    }
    return await readWhole(file, stats.size);
  } finally {
    await file.close();
  }
}

/** What the file holds now, up to the size it was opened with. */
async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** An allowed folder as it is configured, and where it really is. */
type Root = Readonly<{ given: string; real: string }>;

/** Where the roots really are; looked up once a second, not once a file. */
const knownRoots = new WeakMap<readonly string[], { at: number; roots: Promise<readonly Root[]> }>();

function realRoots(given: readonly string[]): Promise<readonly Root[]> {
  const known = knownRoots.get(given);
  if (known !== undefined && performance.now() - known.at < 1000) return known.roots;
  const roots = findRoots(given);
  knownRoots.set(given, { at: performance.now(), roots });
  return roots;
}

async function findRoots(given: readonly string[]): Promise<Root[]> {
  const found = await Promise.all(given.map(async (root) => ({ given: root, real: await realpathOrNull(root) })));
  return found.flatMap(({ given, real }) => (real === null ? [] : [{ given, real }]));
}

async function resolvePath(srcPath: string, given: readonly string[]): Promise<string> {
  const roots = await realRoots(given);
  let isMissing = false;
  for (const root of roots) {
    const way = wayBelow(root, srcPath);
    if (way === null) continue;
    const real = await realpathOrNull(join(root.real, way));
    if (real === null) isMissing ||= await wouldBeBelow(roots, root, way);
    else if (isBelow(roots, real)) return real;
  }
  throw isMissing ? unreachable('no such file') : forbidden();
}

/** How a path leads down from a root, before links are resolved; null where it does not. */
function wayBelow({ given, real }: Root, srcPath: string): string | null {
  const bases = isAbsolute(srcPath) ? [real, given] : [real];
  return bases.map((base) => relative(base, resolve(base, srcPath))).find(leadsDown) ?? null;
}

/**
 * Whether a path that does not exist would lie below a root. One that takes a link out of it, or a
 * link to nothing, must not tell what is there.
 */
async function wouldBeBelow(roots: readonly Root[], root: Root, way: string): Promise<boolean> {
  let path = root.real;
  for (const part of way.split(sep)) {
    path = join(path, part);
    const real = await realpathOrNull(path);
    if (real === null) return !(await isLink(path));
    if (!isBelow(roots, real)) return false;
  }
  return true;
}

function isBelow(roots: readonly Root[], path: string): boolean {
  return roots.some(({ real }) => leadsDown(relative(real, path)));
}

function leadsDown(way: string): boolean {
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

async function realpathOrNull(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

function forbidden(): ElementError {
  return new ElementError('source_forbidden', 'src_path is not a file below an allowed media root', 'src_path');
}

function unreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src_path cannot be read: ${reason}`, 'src_path');
}
