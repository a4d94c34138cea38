import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The files of a folder, and how many entries were left out. */
export type Walk = Readonly<{
  /** Paths below the folder, sorted. */
  files: readonly string[];
  /** What was left out, in words with numbers; empty if nothing was. */
  leftOut: readonly string[];
  /** Wanted files, and folders, whose names are no UTF-8, so that nothing can name them: with their bytes as `\xE9`. */
  unnamable: readonly string[];
}>;

/** Entries that are left out, with their names for one and for several. */
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

/** Files that are not reported: sidecars are read with what they describe, the others belong to operating systems. */
const ignoredFiles = /\.(?:xmp|json|db|ini|lnk)$/i;

/** Maximum name endings that are listed. */
const mostEndings = 8;

/**
 * Finds the regular files of a folder and its subfolders whose name is wanted. Links are not followed, so no circle of
 * them is endless, and nothing is opened, so no pipe blocks. Hidden files and folders and those of other programs are passed
 * over: copies of metadata, trash and previews, as in `._IMG_1.jpg`, `.Trashes` and `@eaDir`.
 *
 * @throws the error of the system if the folder itself cannot be read.
 */
export async function walkFolder(folder: string, isWanted: (name: string) => boolean): Promise<Walk> {
  const files: string[] = [];
  const counts = { link: 0, special: 0, unreadable: 0 };
  const others = new Map<string, number>();
  const unnamable: string[] = [];
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const path = join(folder, below);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (path === join(folder, '')) throw error;
      counts.unreadable += 1;
      return [];
    });
    const broken = entries.some(({ name }) => name.includes(replacement)) ? await brokenIn(path) : [];
    for (const entry of broken) {
      if (!entry.isDirectory() && !(entry.isFile() && isWanted(entry.name.toString()))) continue;
      unnamable.push(join(below, escaped(entry.name)));
    }
    const names = new Set(broken.map(({ name }) => name.toString()));
    for (const entry of entries) {
      if (entry.name.startsWith('.') || systemFolders.has(entry.name) || names.has(entry.name)) continue;
      const place = join(below, entry.name);
      if (entry.isDirectory()) pending.push(place);
      else if (entry.isSymbolicLink()) counts.link += (await mattersAsLink(join(folder, place), isWanted)) ? 1 : 0;
      else if (isWanted(entry.name)) {
        if (entry.isFile()) files.push(place);
        else counts.special += 1;
      } else if (entry.isFile() && !ignoredFiles.test(entry.name)) {
        const ending = extname(entry.name).toLowerCase();
        others.set(ending, (others.get(ending) ?? 0) + 1);
      }
    }
  }
  const leftOut = [...inWords(counts), ...endingsInWords(others)];
  return { files: files.toSorted(), leftOut, unnamable: unnamable.toSorted() };
}

/** What stands in a text for bytes that are no UTF-8, as in names from systems that wrote Latin-1. */
const replacement = '\uFFFD';

/** The entries of a folder whose names are no UTF-8, without hidden ones. */
async function brokenIn(folder: string): Promise<Dirent<Buffer>[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  return entries.filter(({ name }) => !isUtf8(name) && !name.toString().startsWith('.'));
}

/** A name with each byte that is not ASCII as its number. */
function escaped(name: Buffer): string {
  return name
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Whether a link would have been taken if it were what it leads to: a wanted file, or a folder. */
async function mattersAsLink(path: string, isWanted: (name: string) => boolean): Promise<boolean> {
  return isWanted(path) || ((await stat(path).catch(() => null))?.isDirectory() ?? false);
}

function inWords(counts: Readonly<Record<keyof typeof kinds, number>>): string[] {
  return (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${kinds[kind][counts[kind] === 1 ? 0 : 1]}`);
}

/** Files that are not wanted, by the ending of their name: the most frequent ones, and how many more there are. */
function endingsInWords(others: ReadonlyMap<string, number>): string[] {
  const sorted = [...others].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const words = sorted.slice(0, mostEndings).map(([ending, count]) => {
    const files = count === 1 ? 'file' : 'files';
    return ending === '' ? `${count} ${files} without an ending` : `${count} ${ending} ${files}`;
  });
  const more = sorted.slice(mostEndings).reduce((sum, [, count]) => sum + count, 0);
  return more === 0 ? words : [...words, `${more} others`];
}
