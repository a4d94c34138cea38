import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The files of a folder, and what was left out. */
export type Walk = Readonly<{
  /** Paths below the folder, sorted. */
  files: readonly string[];
  /** Descriptions of what was left out, with counts; empty if nothing was. */
  leftOut: readonly string[];
  /**
   * Wanted files, and folders, whose names are not UTF-8 and so cannot be written as a path; invalid bytes are shown
   * as `\xE9`.
   */
  unnamable: readonly string[];
}>;

/** Kinds of entries that are left out, with their names in singular and plural. */
const kinds = {
  link: ['symbolic link', 'symbolic links'],
  special: ['pipe, socket or device', 'pipes, sockets or devices'],
  unreadable: ['folder that cannot be read', 'folders that cannot be read'],
} as const;

/** Folders in which storage and archive programs keep previews, trash and copies of metadata. */
const systemFolders: ReadonlySet<string> = new Set([
  '@eaDir',
  '#recycle',
  '#snapshot',
  '$RECYCLE.BIN',
  'System Volume Information',
  '__MACOSX',
]);

/**
 * Files that are not reported: sidecars are read with the file that they describe; the others belong to operating
 * systems.
 */
const ignoredFiles = /\.(?:xmp|json|db|ini|lnk)$/i;

/** Maximum number of file extensions that are listed. */
const mostEndings = 8;

/**
 * Finds the regular files in a folder and its subfolders whose name is wanted. Does not follow links, so a cycle of
 * them cannot loop forever, and opens nothing, so a pipe cannot block. Skips hidden files and folders, and those of
 * other programs, which hold copies of metadata, trash and previews, such as `._IMG_1.jpg`, `.Trashes` and `@eaDir`.
 *
 * @throws the error of the system if the folder itself cannot be read.
 */
export async function walkFolder(folder: string, isWanted: (name: string) => boolean): Promise<Walk> {
  const files: string[] = [];
  const unnamable: string[] = [];
  const counts = { link: 0, special: 0, unreadable: 0 };
  const others = new Map<string, number>();
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const read = await readFolder(join(folder, below)).catch((error: unknown) => {
      if (below === '') throw error;
      counts.unreadable += 1;
      return { entries: [], broken: [] };
    });
    for (const entry of read.broken) {
      const name = entry.name.toString();
      if (entry.isDirectory() || (entry.isFile() && isWanted(name))) unnamable.push(join(below, escaped(entry.name)));
    }
    for (const entry of read.entries) {
      const place = join(below, entry.name);
      const kind = await kindOf(entry, join(folder, place), isWanted);
      if (kind === 'folder') pending.push(place);
      else if (kind === 'file') files.push(place);
      else if (kind === 'other') countEnding(others, entry.name);
      else if (kind !== 'ignored') counts[kind] += 1;
    }
  }
  const leftOut = [...inWords(counts), ...endingsInWords(others)];
  return { files: files.toSorted(), leftOut, unnamable: unnamable.toSorted() };
}

type Entries = Readonly<{ entries: readonly Dirent[]; broken: readonly Dirent<Buffer>[] }>;

/** Reads the entries of a folder that are not skipped; those with broken names are listed separately. */
async function readFolder(path: string): Promise<Entries> {
  const all = await readdir(path, { withFileTypes: true });
  const broken = all.some(({ name }) => name.includes(replacement)) ? await brokenIn(path) : [];
  const names = new Set(broken.map(({ name }) => name.toString()));
  const isRead = (name: string) => !name.startsWith('.') && !systemFolders.has(name) && !names.has(name);
  return { entries: all.filter(({ name }) => isRead(name)), broken };
}

type EntryKind = 'folder' | 'file' | 'link' | 'special' | 'other' | 'ignored';

/** Returns what to do with an entry: `other` is a file that is not wanted. */
async function kindOf(entry: Dirent, path: string, isWanted: (name: string) => boolean): Promise<EntryKind> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return (await mattersAsLink(path, isWanted)) ? 'link' : 'ignored';
  if (isWanted(entry.name)) return entry.isFile() ? 'file' : 'special';
  return entry.isFile() && !ignoredFiles.test(entry.name) ? 'other' : 'ignored';
}

function countEnding(others: Map<string, number>, name: string): void {
  const ending = extname(name).toLowerCase();
  others.set(ending, (others.get(ending) ?? 0) + 1);
}

/**
 * What decoding puts in place of bytes that are not UTF-8, for example in names written by systems that used Latin-1.
 */
const replacement = '\uFFFD';

/** The entries of a folder whose names are not UTF-8, except hidden ones. */
async function brokenIn(folder: string): Promise<Dirent<Buffer>[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  return entries.filter(({ name }) => !isUtf8(name) && !name.toString().startsWith('.'));
}

/** A name with each non-ASCII byte written as `\xE9`. */
function escaped(name: Buffer): string {
  return name
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Whether a link looks as if it led to something wanted: a file with a wanted name, or a folder. */
async function mattersAsLink(path: string, isWanted: (name: string) => boolean): Promise<boolean> {
  return isWanted(path) || ((await stat(path).catch(() => null))?.isDirectory() ?? false);
}

function inWords(counts: Readonly<Record<keyof typeof kinds, number>>): string[] {
  return (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${kinds[kind][counts[kind] === 1 ? 0 : 1]}`);
}

/** Files that are not wanted, by extension: the most frequent extensions, and how many more there are. */
function endingsInWords(others: ReadonlyMap<string, number>): string[] {
  const sorted = [...others].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const words = sorted.slice(0, mostEndings).map(([ending, count]) => {
    const files = count === 1 ? 'file' : 'files';
    return ending === '' ? `${count} ${files} without an ending` : `${count} ${ending} ${files}`;
  });
  const more = sorted.slice(mostEndings).reduce((sum, [, count]) => sum + count, 0);
  return more === 0 ? words : [...words, `${more} others`];
}
