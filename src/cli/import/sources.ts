import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import type { Resource } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { isBelow } from '../../lib/is-below.ts';
import { openCsv } from './csv.ts';
import { detectEncoding, linesOf, readText } from './encoding.ts';
import type { ImportEntry, ImportSource } from './import-source.ts';

/** What files of each kind are called; the content decides what they are when they are read. */
const extensions: Readonly<Record<Resource, readonly string[]>> = {
  image: ['.jpg', '.jpeg', '.png', '.webp', '.gif', '.tif', '.tiff', '.avif', '.heic', '.heif'],
  video: ['.mp4', '.m4v', '.mov', '.mkv', '.webm', '.ts', '.m2ts'],
};

/** Whether a record is one of a video, by the name of its source. */
export function resourceOf({ src_path: path, src }: Readonly<Record<string, unknown>>): Resource {
  const source =
    typeof path === 'string' && path !== '' ? path : typeof src === 'string' ? src.replace(/[?#].*$/, '') : '';
  return extensions.video.includes(extname(source).toLowerCase()) ? 'video' : 'image';
}

const readers: Readonly<Record<string, (path: string) => Promise<ImportSource>>> = {
  '.json': openJson,
  '.ndjson': openLines,
  '.jsonl': openLines,
  '.csv': openCsv,
  '.tsv': openCsv,
};

/**
 * Opens a folder of pictures and videos, or a JSON, NDJSON or CSV file. A folder must lie below one of the media roots.
 *
 * @throws SetupError when the path is none of these or cannot be read as what it is.
 */
export async function openImport(path: string, mediaRoots: readonly string[]): Promise<ImportSource> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SetupError(`No such file or folder: ${path}`);
  if (found.isDirectory()) return openFolder(resolve(path), await rootOf(path, mediaRoots));
  const reader = readers[extname(path).toLowerCase()];
  if (reader === undefined) {
    throw new SetupError(
      `Cannot import ${path}: it is neither a folder nor a ${Object.keys(readers).join(', ')} file.\n` +
        'To import one picture or video, import its folder.',
    );
  }
  return reader(path);
}

async function rootOf(folder: string, mediaRoots: readonly string[]): Promise<string> {
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

const isMedia = (name: string) =>
  Object.values(extensions).some((known) => known.includes(extname(name).toLowerCase()));

/** A file's id is its path below the folder with `:` for `/`, which single-record addresses can hold. */
async function openFolder(folder: string, root: string): Promise<ImportSource> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && isMedia(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const real = await realpath(folder);
  return fromArray(paths, (path) => {
    const below = relative(folder, path);
    return { place: below, record: { id: below.split(sep).join(':'), src_path: relative(root, join(real, below)) } };
  });
}

function fromArray<T>(items: readonly T[], toEntry: (item: T, index: number) => ImportEntry): ImportSource {
  async function* read(): AsyncIterable<ImportEntry> {
    for (const [index, item] of items.entries()) yield toEntry(item, index);
  }
  return { notes: [], read };
}

async function openJson(path: string): Promise<ImportSource> {
  const parts: string[] = [];
  for await (const part of readText(path, await detectEncoding(path))) parts.push(part);
  let content: unknown;
  try {
    content = JSON.parse(parts.join(''));
  } catch (error) {
    const hint = 'A file with one record per line needs the extension .ndjson.';
    throw new SetupError(`${path} is not JSON: ${(error as Error).message}.\n${hint}`);
  }
  if (!Array.isArray(content)) {
    throw new SetupError(`${path} must hold an array of records: [{"id": "1", "src_path": "a.jpg"}, …]`);
  }
  return fromArray(content, (element, index) => toEntry(`record ${index + 1}`, element));
}

async function openLines(path: string): Promise<ImportSource> {
  const encoding = await detectEncoding(path);
  async function* read(): AsyncIterable<ImportEntry> {
    let number = 0;
    for await (const line of linesOf(readText(path, encoding))) {
      number += 1;
      if (line.trim() !== '') yield fromLine(`line ${number}`, line);
    }
  }
  return { notes: encoding === 'windows-1252' ? ['read as Latin-1'] : [], read };
}

/** A broken line costs that line. */
function fromLine(place: string, line: string): ImportEntry {
  try {
    return toEntry(place, JSON.parse(line));
  } catch (error) {
    return { place, fault: `not JSON: ${(error as Error).message}` };
  }
}

function toEntry(place: string, content: unknown): ImportEntry {
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return isObject
    ? { place, record: content as Record<string, unknown> }
    : { place, fault: 'not a record: it must be an object such as {"id": "1", "src_path": "a.jpg"}' };
}
