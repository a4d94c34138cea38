import * as fs from 'node:fs';
import { closeSync, constants, fstatSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { ElementError } from '../../lib/errors.ts';
import { isBelow, leadsDown } from '../../lib/is-below.ts';
import type { OpenSource } from './open-source.ts';

/** Largest file that is read as a whole; for URLs the limit is 64 MiB, for a local disk twice that. */
export const maxFileBytes = 128 * 2 ** 20;

// Uses bare descriptors: a FileHandle costs several times as much, which matters for small files. Calls that may wait
// for a disk or a network run in the thread pool. Getting the size of a file just opened, and closing one that was
// only read, do not wait; handing them to the pool would cost more than the calls themselves, and keep a thread from
// decoding.
const [open, read] = [promisify(fs.open), promisify(fs.read)] as const;

/**
 * Reads a file below one of `roots`. A relative path is looked up in each root in turn. Symbolic links are resolved
 * first, so a link out of a root is refused just like the path it leads to. The file that was actually opened must
 * lie below a root, whatever has happened to the path in the meantime.
 *
 * @throws ElementError `source_forbidden`, `source_unreachable` or `too_large`. A path outside the roots gives the
 * same error whether it exists or not.
 */
export async function readPath(srcPath: string, roots: readonly string[], maxBytes = maxFileBytes): Promise<Buffer> {
  const { file, size } = await openFile(srcPath, roots);
  try {
    if (size > maxBytes) {
      throw new ElementError('too_large', `the file is larger than ${maxBytes / 2 ** 20} MiB`, 'src_path');
    }
    return await readAt(file, 0, size);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file below one of `roots` for random access.
 *
 * @throws ElementError as `readPath` does, but a file of any size can be opened.
 */
export async function openPath(srcPath: string, roots: readonly string[]): Promise<OpenSource> {
  const { file, size } = await openFile(srcPath, roots);
  let bytesRead = 0;
  return {
    size,
    isSeekable: true,
    bytesRead: () => bytesRead,
    async read(start, end) {
      bytesRead += end - start;
      if (bytesRead > maxFileBytes) {
        throw new ElementError('too_large', `more than ${maxFileBytes / 2 ** 20} MiB had to be read`, 'src_path');
      }
      const bytes = await readAt(file, start, end - start);
      if (bytes.length < end - start) throw pathUnreachable('it changed while it was being read');
      return bytes;
    },
    close: async () => closeSync(file),
  };
}

/** An open file, its size, and when it last changed. */
type OpenFile = Readonly<{ file: number; size: number; changedMs: number }>;

/** Opens a file below one of `roots`; the caller closes its descriptor. @throws ElementError as `readPath` does. */
export async function openFile(srcPath: string, roots: readonly string[]): Promise<OpenFile> {
  if (srcPath.includes('\0')) throw forbidden();
  const file = await openBelow(srcPath, roots);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw forbidden();
    return { file, size: stats.size, changedMs: stats.mtimeMs };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Follows no link at the end of a path; on macOS (11 and later, O_NOFOLLOW_ANY), no link in any part of it. */
const withoutLinks = process.platform === 'darwin' ? 0x2000_0000 : constants.O_NOFOLLOW;
/** Non-blocking: otherwise, opening a FIFO would wait forever for a writer. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | withoutLinks;

async function openBelow(srcPath: string, given: readonly string[]): Promise<number> {
  const roots = await realRoots(given);
  const { file, path } = (await openInFolder(srcPath, roots)) ?? (await openResolved(srcPath, roots));
  if (await liesBelow(file, path, roots)) return file;
  closeSync(file);
  throw forbidden();
}

/** A descriptor, and the path that it was opened by. */
type Opened = Readonly<{ file: number; path: string }>;

/** Resolves all links of a path, and opens what it leads to. */
async function openResolved(srcPath: string, roots: readonly Root[]): Promise<Opened> {
  const path = await resolvePath(srcPath, roots);
  const file = await open(path, openFlags).catch(unreadable);
  return { file, path };
}

/**
 * Real paths of roots and of folders below them, null for those that do not exist; looked up once a second rather
 * than once per file.
 */
const knownFolders = new LRUCache<string, Promise<string | null>>({ max: 1000, ttl: 1000 });

/**
 * Opens a file that is not a link, in a folder whose real path was found within the last second and lies below a
 * root: this saves a call to the thread pool for each file. Returns null if the path has to be resolved to tell what
 * is wrong with it.
 */
async function openInFolder(srcPath: string, roots: readonly Root[]): Promise<Opened | null> {
  for (const root of roots) {
    const way = wayBelow(root, srcPath);
    if (way === null) continue;
    const folder = await realFolder(dirname(join(root.real, way)));
    const path = join(folder ?? '', basename(way));
    if (folder === null || !isBelowAny(roots, path)) return null;
    const file = await open(path, openFlags).catch((error: NodeJS.ErrnoException) => error);
    if (typeof file === 'number') return { file, path };
    if (file.code !== 'ENOENT') return null;
  }
  return null;
}

function realFolder(path: string): Promise<string | null> {
  const known = knownFolders.get(path);
  if (known !== undefined) return known;
  const found = realpathOrNull(path);
  knownFolders.set(path, found);
  return found;
}

/** How often a path is checked again if the system cannot tell the path of the opened file. */
const maxChecks = 3;

/**
 * Whether an open file lies below a root. Only an open file can be trusted: between checking a path and opening it,
 * anyone who may write below the root can replace a folder by a link.
 */
async function liesBelow(file: number, path: string, roots: readonly Root[]): Promise<boolean> {
  const real = locationOf(file);
  if (real !== null) return isBelowAny(roots, real);
  // If the system does not tell where a file lies, each check must find this very file below a root.
  const opened = fstatSync(file, { bigint: true });
  for (let times = 0; times < maxChecks; times += 1) {
    const now = await realpathOrNull(path);
    if (now === null || !isBelowAny(roots, now)) return false;
    const found = await lstat(now, { bigint: true }).catch(() => null);
    if (found === null || found.dev !== opened.dev || found.ino !== opened.ino) return false;
  }
  return true;
}

/**
 * Returns the path of an open file without links, as Linux reports it; null on other systems. Does not wait for a
 * disk.
 */
function locationOf(file: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return fs.readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return null;
  }
}

/** Reads up to `length` bytes of the file from `start` on; fewer at its end. @throws ElementError `source_unreachable` */
export async function readAt(file: number, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await read(file, bytes, filled, length - filled, start + filled).catch(unreadable);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** An allowed folder: as configured, and its real path. */
type Root = Readonly<{ given: string; real: string }>;

async function realRoots(given: readonly string[]): Promise<Root[]> {
  const found = await Promise.all(given.map(async (root) => ({ given: root, real: await realFolder(root) })));
  return found.flatMap(({ given, real }) => (real === null ? [] : [{ given, real }]));
}

async function resolvePath(srcPath: string, roots: readonly Root[]): Promise<string> {
  let isMissing = false;
  for (const root of roots) {
    const way = wayBelow(root, srcPath);
    if (way === null) continue;
    const real = await realpathOrNull(join(root.real, way));
    if (real === null) isMissing ||= await wouldBeBelow(roots, root, way);
    else if (isBelowAny(roots, real)) return real;
  }
  throw isMissing ? pathUnreachable('no such file') : forbidden();
}

/** Returns the path relative to a root, before links are resolved; null if it does not lead below the root. */
function wayBelow({ given, real }: Root, srcPath: string): string | null {
  const bases = isAbsolute(srcPath) ? [real, given] : [real];
  return bases.map((base) => relative(base, resolve(base, srcPath))).find(leadsDown) ?? null;
}

/**
 * Whether a path that does not exist would lie below a root. A path through a link out of the root, or through a
 * dangling link, must not reveal what exists.
 */
async function wouldBeBelow(roots: readonly Root[], root: Root, way: string): Promise<boolean> {
  let path = root.real;
  for (const part of way.split(sep)) {
    path = join(path, part);
    const real = await realpathOrNull(path);
    if (real === null) return !(await isLink(path));
    if (!isBelowAny(roots, real)) return false;
  }
  return true;
}

function isBelowAny(roots: readonly Root[], path: string): boolean {
  return roots.some(({ real }) => isBelow(path, real));
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

/** Converts the error of a system call. */
function unreadable({ code = 'unreadable' }: NodeJS.ErrnoException): never {
  throw pathUnreachable(code);
}

export function pathUnreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src_path cannot be read: ${reason}`, 'src_path');
}
