import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { readFileMetadata } from '../../../analysis/index.ts';
import { fieldsOf, longTextOf } from '../../../catalog/index.ts';
import type { Resource } from '../../../catalog/index.ts';
import { refusalInWords } from '../../../lib/system-refusals.ts';
import { readAlbum, readTakeout, takeoutSidecarOf } from './takeout.ts';

/**
 * Maximum size of a sidecar; typical ones have a few kilobytes, those of programs that keep every edit a few hundred.
 */
const maxBytes = 2 ** 20;

/** A sidecar that cannot be read: its record is not stored, because it would lack what a person wrote there. */
export class SidecarFault extends Error {
  constructor(name: string, reason: string) {
    super(`its sidecar ${name} ${reason}; correct or remove it`);
    this.name = 'SidecarFault';
  }
}

/** Contents of a folder: names of its sidecars, and the title of its album. */
type Folder = Readonly<{ xmp: ReadonlyMap<string, string>; json: readonly string[]; album: string | null }>;

type Values = Readonly<Record<string, unknown>>;

/** Reads sidecars of pictures and videos: XMP, and JSON of Google Takeout. XMP takes precedence. */
export class Sidecars {
  readonly #folders = new LRUCache<string, Folder>({ max: 100 });

  /**
   * The fields in the sidecars of a file, by the contract's names.
   *
   * @throws SidecarFault for a sidecar that cannot be read
   */
  async fieldsOf(path: string, resource: Resource): Promise<Values> {
    const { xmp, json, album } = await this.#folderOf(dirname(path));
    const file = basename(path);
    const packet = xmp.get(file.toLowerCase()) ?? xmp.get(file.slice(0, -extname(file).length).toLowerCase());
    const takeout = takeoutSidecarOf(file, json);
    const values = {
      ...(takeout !== null && (await fromTakeout(join(dirname(path), takeout)))),
      ...(packet !== undefined && (await fromXmp(join(dirname(path), packet)))),
    };
    return named({ ...values, ...(album !== null && { collections: [album] }) }, resource);
  }

  async #folderOf(path: string): Promise<Folder> {
    let folder = this.#folders.get(path);
    if (folder === undefined) this.#folders.set(path, (folder = await readFolder(path)));
    return folder;
  }
}

async function readFolder(path: string): Promise<Folder> {
  const names = await readdir(path);
  const ending = (name: string) => extname(name).toLowerCase();
  const xmp = names.filter((name) => ending(name) === '.xmp').map((name) => [name.slice(0, -4).toLowerCase(), name]);
  const json = names.filter((name) => ending(name) === '.json');
  // Takeout names it in the language of the account: metadata.json, Metadaten.json, métadonnées.json, metadatos.json, …
  const album = json.find((name) => /^m[eé]tad[ao][a-zé]*\.json$/i.test(name));
  const content = album === undefined ? null : await readJson(join(path, album)).catch(() => null);
  return { xmp: new Map(xmp as [string, string][]), json, album: readAlbum(content) };
}

async function fromXmp(path: string): Promise<Values> {
  const bytes = await readBounded(path);
  // The text without a specific language; `--lang` tells which language it is in.
  const fields = await readFileMetadata(bytes, 'x-default');
  if (!bytes.includes('adobe:ns:meta') && !bytes.includes('22-rdf-syntax-ns#')) {
    throw new SidecarFault(basename(path), 'is not XMP');
  }
  return fields;
}

/** JSON of other programs is ignored. */
async function fromTakeout(path: string): Promise<Values> {
  return readTakeout(await readJson(path)) ?? {};
}

async function readJson(path: string): Promise<unknown> {
  const text = (await readBounded(path)).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new SidecarFault(basename(path), 'is not JSON');
  }
}

async function readBounded(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new SidecarFault(basename(path), `is larger than ${maxBytes / 2 ** 20} MiB`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Opens a file without blocking, as opening a pipe could. @throws SidecarFault if it is not a regular file, or cannot
 * be read.
 */
async function openRegular(path: string): Promise<FileHandle> {
  try {
    if ((await stat(path)).isFile()) return await open(path);
  } catch (error) {
    throw new SidecarFault(basename(path), `cannot be read: ${refusalInWords(error) ?? String(error)}`);
  }
  throw new SidecarFault(basename(path), 'is not a file');
}

/** Properties by the contract's names, without those that this kind of record does not have. */
function named(values: Values, resource: Resource): Values {
  const { caption, ...others } = values;
  const properties = caption === undefined ? others : { ...others, [longTextOf[resource]]: caption };
  const known = fieldsOf[resource].filter(({ property }) => Object.hasOwn(properties, property));
  return Object.fromEntries(known.map(({ name, property }) => [name, properties[property]]));
}
