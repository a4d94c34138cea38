import { readdir, realpath, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { idOfFile, resourceOfFile } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { isBelow } from '../../lib/is-below.ts';
import { fromRecords, openerOf, tableEndings } from '../../tables/index.ts';
import type { ImportEntry, ImportSource } from '../../tables/index.ts';
import { SidecarFault, Sidecars } from './sidecars/sidecars.ts';

/**
 * Opens a folder of pictures and videos, or a JSON, NDJSON or CSV file. A folder must be a media root or below one.
 *
 * @throws SetupError if the path is none of these or cannot be read.
 */
export async function openImport(path: string, mediaRoots: readonly string[]): Promise<ImportSource> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SetupError(`No such file or folder: ${path}`);
  if (found.isDirectory()) return openFolder(resolve(path), await rootOf(path, mediaRoots));
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

async function openFolder(folder: string, root: string): Promise<ImportSource> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && resourceOfFile(entry.name) !== null)
    .map((entry) => join(entry.parentPath, entry.name))
    // Copies of metadata, trash and previews of other programs, as in `._IMG_1.jpg` and `.Trashes`.
    .filter(
      (path) =>
        !relative(folder, path)
          .split(sep)
          .some((name) => name.startsWith('.')),
    )
    .toSorted();
  const real = await realpath(folder);
  const sidecars = new Sidecars();
  async function* read(): AsyncIterable<ImportEntry> {
    for (const path of paths) {
      const place = relative(folder, path);
      try {
        const stated = await sidecars.fieldsOf(path, resourceOfFile(path) ?? 'image');
        yield { place, record: { ...stated, id: idOfFile(place), src_path: relative(root, join(real, place)) } };
      } catch (error) {
        if (!(error instanceof SidecarFault)) throw error;
        yield { place, fault: error.message };
      }
    }
  }
  return fromRecords([], read);
}
