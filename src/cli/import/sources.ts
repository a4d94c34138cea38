import { realpath, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { resourceOfFile } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { isBelow } from '../../lib/is-below.ts';
import { openerOf, tableEndings } from '../../tables/index.ts';
import type { ImportSource } from '../../tables/index.ts';
import { listFile, listFolder, openMedia } from './media.ts';
import type { Listing } from './media.ts';

/**
 * Opens pictures and videos, given as files or folders, or one file of records in JSON, NDJSON or CSV. Pictures and
 * videos must be below a media root.
 *
 * @param idPrefix put before each id of a picture or video
 * @throws SetupError if a path is none of these or cannot be read, or if the paths do not go together.
 */
export async function openImport(
  paths: readonly string[],
  mediaRoots: readonly string[],
  idPrefix = '',
): Promise<ImportSource> {
  const listings: Listing[] = [];
  for (const path of new Set(paths.map((each) => resolve(each)))) {
    const listing = await listMedia(path, mediaRoots);
    if (listing !== null) listings.push(listing);
    else if (paths.length > 1) throw new SetupError(`Import a file of records by itself: vitrine import ${path}`);
    else if (idPrefix !== '')
      throw new SetupError(`--id-prefix is for pictures; ${path} names the ids of its records.`);
    else return openRecords(path);
  }
  return openMedia(listings, idPrefix);
}

/** Null for a file whose name is not that of a picture or video. */
async function listMedia(path: string, mediaRoots: readonly string[]): Promise<Listing | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SetupError(`No such file or folder: ${path}`);
  if (found.isDirectory()) return listFolder(path, await rootOf(path, mediaRoots));
  if (!found.isFile()) {
    throw new SetupError(`${path} is neither a file nor a folder. It is read more than once: save it as a file first.`);
  }
  return resourceOfFile(path) === null ? null : listFile(path, await rootOf(dirname(path), mediaRoots));
}

async function openRecords(path: string): Promise<ImportSource> {
  const open = openerOf(path);
  if (open !== null) return open(path, () => createReadStream(path) as AsyncIterable<Uint8Array>);
  throw new SetupError(
    `Cannot import ${path}: it is neither a picture, a video, nor a ${tableEndings.join(', ')} file.`,
  );
}

/** The media root that contains a folder. @throws SetupError if there is none */
export async function rootOf(folder: string, mediaRoots: readonly string[]): Promise<string> {
  const real = await realpath(folder);
  for (const root of mediaRoots) {
    const realRoot = await realpath(root).catch(() => root);
    if (real === realRoot || isBelow(real, realRoot)) return realRoot;
  }
  throw new SetupError(
    `${resolve(folder)} is not below a media root (${mediaRoots.join(', ')}).\n` +
      `Start the service with MEDIA_ROOTS=${resolve(folder)}, or copy the files below a root.`,
  );
}
