import { realpath, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { SetupError } from '../../lib/errors.ts';
import { isBelow } from '../../lib/is-below.ts';
import { openerOf, tableEndings } from '../../tables/index.ts';
import type { ImportSource } from '../../tables/index.ts';
import { openFolder } from './folder.ts';

/**
 * Opens a folder of pictures and videos, or a JSON, NDJSON or CSV file. A folder must be a media root or below one.
 *
 * @param idPrefix what the ids of a folder's files begin with
 * @throws SetupError if the path is none of these or cannot be read, or if only a folder can have `idPrefix`.
 */
export async function openImport(path: string, mediaRoots: readonly string[], idPrefix = ''): Promise<ImportSource> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SetupError(`No such file or folder: ${path}`);
  if (found.isDirectory()) return openFolder(resolve(path), await rootOf(path, mediaRoots), idPrefix);
  if (idPrefix !== '') throw new SetupError(`--id-prefix is for folders; ${path} names the ids of its records.`);
  if (!found.isFile()) {
    throw new SetupError(`${path} is neither a file nor a folder. It is read more than once: save it as a file first.`);
  }
  const open = openerOf(path);
  if (open === null) {
    throw new SetupError(
      `Cannot import ${path}: it is neither a folder nor a ${tableEndings.join(', ')} file.\n` +
        'To import one picture or video, import its folder.',
    );
  }
  return open(path, () => createReadStream(path) as AsyncIterable<Uint8Array>);
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
