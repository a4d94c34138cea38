import { createReadStream } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { parse as parseCsv } from 'csv-parse';
import { fieldsOf } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { SetupError } from '../errors.ts';
import { isBelow } from '../is-below.ts';

/** A record to import under the contract's names, and where it stood. */
export type ImportRecord = Readonly<{ place: string; record: Readonly<Record<string, unknown>> }>;

/** What there is to import; `total` is null where only reading to the end would tell. */
export type ImportList = Readonly<{ total: number | null; records: AsyncIterable<ImportRecord> }>;

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

const streamOf = (read: (path: string) => AsyncIterable<ImportRecord>) => async (path: string) => ({
  total: null,
  records: read(path),
});

const readers: Readonly<Record<string, (path: string) => Promise<ImportList>>> = {
  '.json': readJson,
  '.ndjson': streamOf(readLines),
  '.jsonl': streamOf(readLines),
  '.csv': streamOf(readCsv),
};

/**
 * The records of a folder of pictures and videos, or of a JSON, NDJSON or CSV file.
 *
 * @throws SetupError when the path is none of these or cannot be read as what it is.
 */
export async function openImport(path: string, mediaRoots: readonly string[]): Promise<ImportList> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new SetupError(`There is no file or folder ${path}.`);
  if (found.isDirectory()) return readFolder(resolve(path), await rootOf(path, mediaRoots));
  const reader = readers[extname(path).toLowerCase()];
  if (reader === undefined) {
    throw new SetupError(
      `${path} is not a folder, .json, .ndjson, .jsonl or .csv file. For one picture or video, import its folder.`,
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
      `Start the service and this command with MEDIA_ROOTS=${resolve(folder)}, or copy the files to a root.`,
  );
}

const isMedia = (name: string) =>
  Object.values(extensions).some((known) => known.includes(extname(name).toLowerCase()));

/** A file's id is its path below the folder with `:` for `/`, which single-record addresses can hold. */
async function readFolder(folder: string, root: string): Promise<ImportList> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && isMedia(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const real = await realpath(folder);
  const records = paths.map((path) => {
    const below = relative(folder, path);
    return { place: below, record: { id: below.split(sep).join(':'), src_path: relative(root, join(real, below)) } };
  });
  return { total: records.length, records: fromArray(records) };
}

async function* fromArray<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

async function readJson(path: string): Promise<ImportList> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new SetupError(`${path} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(content)) throw new SetupError(`${path} must hold an array of records.`);
  const records = content.map((element, index) => toRecord(`record ${index + 1}`, element));
  return { total: records.length, records: fromArray(records) };
}

async function* readLines(path: string): AsyncIterable<ImportRecord> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === '') continue;
    let content: unknown;
    try {
      content = JSON.parse(line);
    } catch (error) {
      throw new SetupError(`${path}, line ${number} is not JSON: ${(error as Error).message}`);
    }
    yield toRecord(`line ${number}`, content);
  }
}

async function* readCsv(path: string): AsyncIterable<ImportRecord> {
  const rows = createReadStream(path).pipe(parseCsv({ columns: true, bom: true, trim: true, skip_empty_lines: true }));
  let number = 1;
  try {
    for await (const row of rows as AsyncIterable<Record<string, string>>) {
      number += 1;
      yield { place: `row ${number}`, record: fromCells(row) };
    }
  } catch (error) {
    throw new SetupError(`${path} cannot be read as CSV: ${(error as Error).message}`);
  }
}

function toRecord(place: string, content: unknown): ImportRecord {
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return { place, record: isObject ? (content as Record<string, unknown>) : {} };
}

/** Cells are texts: empty ones are absent, lists are separated by `|`, flags are words. */
function fromCells(row: Readonly<Record<string, string>>): Record<string, unknown> {
  const types = new Map([...fieldsOf.image, ...fieldsOf.video].map(({ name, type }) => [name, type]));
  const flags: Readonly<Record<string, boolean>> = {
    true: true,
    yes: true,
    1: true,
    false: false,
    no: false,
    0: false,
  };
  const cells = Object.entries(row).filter(([, cell]) => cell !== '');
  return Object.fromEntries(
    cells.map(([name, cell]) => {
      const type = types.get(name);
      if (type === 'list')
        return [
          name,
          cell
            .split('|')
            .map((part) => part.trim())
            .filter((part) => part !== ''),
        ];
      return [name, type === 'boolean' ? (flags[cell.toLowerCase()] ?? cell) : cell];
    }),
  );
}
