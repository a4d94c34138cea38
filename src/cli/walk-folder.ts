import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a folder, and how many entries were left out. */
export type Walk = Readonly<{
  /** Paths below the folder, sorted. */
  files: readonly string[];
  /** What was left out, in words with numbers; empty if nothing was. */
  leftOut: readonly string[];
}>;

/** Entries that are left out, with their names for one and for several. */
const kinds = {
  link: ['symbolic link', 'symbolic links'],
  special: ['pipe, socket or device', 'pipes, sockets or devices'],
  unreadable: ['folder that cannot be read', 'folders that cannot be read'],
} as const;

/**
 * Finds the regular files of a folder and its subfolders whose name is wanted. Links are not followed, so no circle of
 * them is endless, and nothing is opened, so no pipe blocks. Hidden files and folders are passed over: copies of metadata,
 * trash and previews of other programs, as in `._IMG_1.jpg` and `.Trashes`.
 *
 * @throws the error of the system if the folder itself cannot be read.
 */
export async function walkFolder(folder: string, isWanted: (name: string) => boolean): Promise<Walk> {
  const files: string[] = [];
  const counts = { link: 0, special: 0, unreadable: 0 };
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const path = join(folder, below);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (path === join(folder, '')) throw error;
      counts.unreadable += 1;
      return [];
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const place = join(below, entry.name);
      if (entry.isDirectory()) pending.push(place);
      else if (entry.isSymbolicLink()) counts.link += (await mattersAsLink(join(folder, place), isWanted)) ? 1 : 0;
      else if (isWanted(entry.name)) {
        if (entry.isFile()) files.push(place);
        else counts.special += 1;
      }
    }
  }
  return { files: files.toSorted(), leftOut: inWords(counts) };
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
