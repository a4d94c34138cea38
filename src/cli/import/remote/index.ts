import { rmdir } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { resourceOfFile } from '../../../catalog/index.ts';
import { SetupError } from '../../../lib/errors.ts';
import { makeFolder } from '../../../lib/make-folder.ts';
import { isWebUrl, plainUrl } from '../../../lib/plain-url.ts';
import type { ImportEntry, ImportSource } from '../../../tables/index.ts';
import { fromRecords } from '../../../tables/index.ts';
import { readKeyFile } from '../../key-file.ts';
import { download } from './api.ts';
import type { RemoteApi } from './api.ts';
import type { RemoteCatalog, RemoteRecord } from './catalog.ts';
import { directus } from './directus.ts';
import { immich } from './immich.ts';
import type { RemoteName } from './names.ts';
import { photoprism } from './photoprism.ts';
import { resourcespace } from './resourcespace.ts';

export type { RemoteName } from './names.ts';

/** The kinds of catalogs that can be imported. */
const catalogs: Readonly<Record<RemoteName, RemoteCatalog>> = { immich, photoprism, directus, resourcespace };

/** The kind of catalog, a file with its key, and the signal that ends reading. */
type RemoteOptions = Readonly<{ from: RemoteName; keyFile: string; signal: AbortSignal }>;

/** Where originals are stored: a folder, and the media root that contains it. */
type OriginalsFolder = Readonly<{ folder: string; root: string }>;

/**
 * Opens another catalog by its API. Its originals are downloaded to a folder, each when its record is read to be stored.
 *
 * @throws SetupError for an invalid address, and for a key that cannot be read
 */
export async function openRemote(
  address: string,
  { from, keyFile, signal }: RemoteOptions,
  { folder, root }: OriginalsFolder,
): Promise<ImportSource> {
  const catalog = catalogs[from];
  const url = urlOf(address);
  const key = await readKeyFile(keyFile);
  const api: RemoteApi = { url, key, headers: catalog.headers(key), signal };
  async function* described(): AsyncIterable<ImportEntry> {
    for await (const record of catalog.list(api)) yield entryOf(record);
  }
  async function* read(): AsyncIterable<ImportEntry> {
    for await (const record of catalog.list(api)) {
      const entry = await fetched(record);
      if (signal.aborted) return;
      yield entry;
    }
  }
  async function fetched(record: RemoteRecord): Promise<ImportEntry> {
    const to = join(folder, nameOf(record));
    try {
      const { filePath } = record;
      await download(api, typeof filePath === 'string' ? filePath : await filePath(), { to, bytes: record.bytes });
    } catch (error) {
      return { place: record.fileName, fault: `its original cannot be read: ${(error as Error).message}` };
    }
    return entryOf(record);
  }
  function entryOf(record: RemoteRecord): ImportEntry {
    const path = relative(root, join(folder, nameOf(record)));
    return { place: record.fileName, record: { ...record.fields, id: record.id, src_path: path } };
  }
  return { ...fromRecords([`from ${from}`], read), described };
}

/** Runs an import with a folder for originals; if the folder is new and stays empty, it is removed. */
export async function withFolder<T>(path: string, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = resolve(path);
  const made = makeFolder(folder);
  try {
    return await run(folder);
  } finally {
    // Innermost first; a folder that is not empty stays, and so do those above it.
    for (const each of made.toReversed()) await rmdir(each).catch(() => {});
  }
}

/** The file name of an original. Its extension must tell the kind of file, so a wrong one is replaced. */
function nameOf({ id, fileName, resource }: RemoteRecord): string {
  const ending = resourceOfFile(fileName) === resource ? extname(fileName).toLowerCase() : '';
  const usual = resource === 'image' ? '.jpg' : '.mp4';
  return `${id}${ending || usual}`;
}

function urlOf(address: string): string {
  if (!isWebUrl(address)) {
    throw new SetupError(`${address} is not the address of a catalog, such as https://photos.example.com`);
  }
  return plainUrl(address);
}
