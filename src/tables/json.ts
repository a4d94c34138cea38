import { SetupError } from '../lib/errors.ts';
import { isObject } from '../lib/is-object.ts';
import { toRecord } from './columns.ts';
import { detectEncoding, linesOf, readText } from './encoding.ts';
import { maxJsonCharacters, maxRecordCharacters, tooLong } from './limits.ts';
import type { TableColumn, ImportEntry, ImportSource, OpenBytes } from './table.ts';

/** Opens a JSON file with an array of records. @throws SetupError if it contains anything else, or is too large */
export async function openJson(name: string, bytes: OpenBytes): Promise<ImportSource> {
  const parts: string[] = [];
  let length = 0;
  for await (const part of readText(bytes(), await detectEncoding(bytes()))) {
    parts.push(part);
    length += part.length;
    if (length > maxJsonCharacters) {
      const most = `more than ${Math.round(maxJsonCharacters / 1e6)} million characters`;
      throw new SetupError(`${name} has ${most}: save it with one record per line, as .ndjson.`);
    }
  }
  let content: unknown;
  try {
    content = JSON.parse(parts.join(''));
  } catch (error) {
    const hint = 'A file with one record per line needs the extension .ndjson.';
    throw new SetupError(`${name} is not JSON: ${(error as Error).message}.\n${hint}`);
  }
  if (!Array.isArray(content)) {
    throw new SetupError(`${name} must contain an array of records: [{"id": "1", "src_path": "a.jpg"}, …]`);
  }
  const elements: readonly unknown[] = content;
  async function* read(): AsyncIterable<ImportEntry> {
    for (const [index, element] of elements.entries()) yield toEntry(`record ${index + 1}`, element);
  }
  return fromRecords([], read);
}

/** Opens a file with one JSON object per line. */
export async function openLines(_name: string, bytes: OpenBytes): Promise<ImportSource> {
  const encoding = await detectEncoding(bytes());
  async function* read(): AsyncIterable<ImportEntry> {
    let number = 0;
    for await (const line of linesOf(readText(bytes(), encoding))) {
      number += 1;
      if (line.trim() !== '') yield fromLine(`line ${number}`, line);
    }
  }
  return fromRecords(encoding === 'windows-1252' ? ['read as Latin-1'] : [], read);
}

/** Creates a source of records whose values already have names. */
export function fromRecords(notes: readonly string[], read: () => AsyncIterable<ImportEntry>): ImportSource {
  return { notes, columns: () => columnsOf(read()), read: (columns) => (columns ? mapped(read(), columns) : read()) };
}

async function columnsOf(entries: AsyncIterable<ImportEntry>): Promise<TableColumn[]> {
  const names = new Set<string>();
  for await (const entry of entries) {
    if ('record' in entry) for (const name of Object.keys(entry.record)) names.add(name);
  }
  return [...names].map((name) => ({ name, field: name, separator: null }));
}

async function* mapped(
  entries: AsyncIterable<ImportEntry>,
  columns: readonly TableColumn[],
): AsyncIterable<ImportEntry> {
  for await (const entry of entries) {
    if ('fault' in entry) yield entry;
    else {
      const values = columns.map(({ name }) => (Object.hasOwn(entry.record, name) ? entry.record[name] : undefined));
      yield { place: entry.place, record: toRecord(columns, values) };
    }
  }
}

/** Converts a line to an entry; a broken line fails by itself. */
function fromLine(place: string, line: string): ImportEntry {
  if (line.length > maxRecordCharacters) return { place, fault: tooLong };
  try {
    const entry = toEntry(place, JSON.parse(line));
    return 'record' in entry ? { ...entry, characters: line.length } : entry;
  } catch (error) {
    return { place, fault: `not JSON: ${(error as Error).message}` };
  }
}

function toEntry(place: string, content: unknown): ImportEntry {
  return isObject(content)
    ? { place, record: content }
    : { place, fault: 'not a record: it must be an object such as {"id": "1", "src_path": "a.jpg"}' };
}
