import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
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

type Root = Readonly<{ path: string; real: string | null }>;

/** Where the roots really are; looked up once a second, not once a file. */
const knownRoots = new WeakMap<readonly string[], { at: number; roots: Promise<readonly Root[]> }>();

function realRoots(roots: readonly string[]): Promise<readonly Root[]> {
  const known = knownRoots.get(roots);
  if (known !== undefined && performance.now() - known.at < 1000) return known.roots;
  const looking = Promise.all(roots.map(async (path) => ({ path, real: await realpathOrNull(path) })));
  knownRoots.set(roots, { at: performance.now(), roots: looking });
  return looking;
}

async function resolvePath(srcPath: string, roots: readonly string[]): Promise<string> {
  let inside = false;
  for (const root of await realRoots(roots)) {
    if (root.real === null) continue;
    const wanted = isAbsolute(srcPath) ? srcPath : join(root.real, srcPath);
    if (!isBelow(wanted, root.real) && !isBelow(wanted, root.path)) continue;
    inside = true;
    const real = await realpathOrNull(wanted);
    if (real === null) continue;
    if (isBelow(real, root.real)) return real;
    inside = false;
  }
  throw inside ? unreachable('no such file') : forbidden();
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
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
