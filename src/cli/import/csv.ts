import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { fieldsOf } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { detectEncoding, linesOf, readText } from './encoding.ts';
import type { Encoding } from './encoding.ts';
import type { ImportEntry, ImportSource } from './import-source.ts';

/** What stands between cells, by what people call it. */
const delimiters: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };
/** What may stand between the values of a list; of a column the first that occurs in any of its cells counts. */
const listSeparators = ['|', ';', ','] as const;

const types = new Map([...fieldsOf.image, ...fieldsOf.video].map(({ name, type }) => [name, type]));
const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

type Format = Readonly<{ path: string; encoding: Encoding; delimiter: string }>;
type Row = Readonly<{ place: string; cells: readonly string[] } | { place: string; fault: string }>;
type Column = Readonly<{ name: string; separator: string }>;

/**
 * The records of a CSV file: its encoding and what separates its cells and lists are recognized.
 *
 * @throws SetupError when it has no header.
 */
export async function openCsv(path: string): Promise<ImportSource> {
  const encoding = await detectEncoding(path);
  const delimiter = await detectDelimiter(path, encoding);
  const format = { path, encoding, delimiter };
  const columns = await readColumns(format);
  const notes = [
    ...(delimiter === ',' ? [] : [`separated by ${delimiters[delimiter] ?? delimiter}`]),
    ...(encoding === 'utf-8' ? [] : [`read as ${encoding === 'windows-1252' ? 'Latin-1' : encoding.toUpperCase()}`]),
  ];
  return { notes, read: () => readRecords(format, columns) };
}

/** Of the signs that may separate cells the one that is most frequent in the first line, outside quotes. */
async function detectDelimiter(path: string, encoding: Encoding): Promise<string> {
  for await (const line of linesOf(readText(path, encoding))) {
    if (line.trim() === '') continue;
    const bare = line.replaceAll(/"[^"]*"/g, '');
    const counts = Object.keys(delimiters).map((sign) => ({ sign, count: bare.split(sign).length }));
    return counts.toSorted((a, b) => b.count - a.count)[0]?.sign ?? ',';
  }
  throw new SetupError(`${path} is empty. The first line must contain the column names: id,src_path,title,…`);
}

async function* readRows({ path, encoding, delimiter }: Format): AsyncIterable<Row> {
  const faults: Row[] = [];
  const parser = parse({
    delimiter,
    trim: true,
    skip_empty_lines: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip: (error) => void faults.push({ place: `row ${number + 1}`, fault: inWords(error) }),
  });
  const text = Readable.from(readText(path, encoding), { objectMode: false });
  text.on('error', (error) => parser.destroy(error));
  let number = 0;
  try {
    for await (const cells of text.pipe(parser) as AsyncIterable<string[]>) {
      number += 1;
      yield { place: `row ${number}`, cells };
    }
  } finally {
    text.destroy();
  }
  yield* faults;
}

function inWords(error: Readonly<{ code?: string; message: string }> | undefined): string {
  if (error?.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote opens here and never closes: the rest was ignored';
  return `not CSV: ${error?.message ?? 'unknown reason'}`;
}

/** The names of the columns, and what separates the values of those that hold lists. */
async function readColumns(format: Format): Promise<Column[]> {
  let names: readonly string[] | null = null;
  const found: Set<string>[] = [];
  for await (const row of readRows(format)) {
    if ('fault' in row) continue;
    if (names === null) {
      names = row.cells;
      continue;
    }
    for (const [index, name] of names.entries()) {
      if (types.get(name) !== 'list') continue;
      const seen = (found[index] ??= new Set());
      for (const sign of listSeparators) if (row.cells[index]?.includes(sign) === true) seen.add(sign);
    }
  }
  return (names ?? []).map((name, index) => ({
    name: name === '' ? `column ${index + 1}, which has no name` : name,
    separator: listSeparators.find((sign) => found[index]?.has(sign)) ?? ',',
  }));
}

async function* readRecords(format: Format, columns: readonly Column[]): AsyncIterable<ImportEntry> {
  let isHeader = true;
  for await (const row of readRows(format)) {
    if ('fault' in row) yield row;
    else if (isHeader) isHeader = false;
    else if (row.cells.slice(columns.length).some((cell) => cell !== '')) {
      yield { place: row.place, fault: `${row.cells.length} cells, but the header has ${columns.length}` };
    } else yield { place: row.place, record: fromCells(columns, row.cells) };
  }
}

/** Cells are texts: empty ones are absent, flags are words. */
function fromCells(columns: readonly Column[], cells: readonly string[]): Record<string, unknown> {
  const filled = columns.map((column, index) => ({ ...column, cell: cells[index] ?? '' }));
  return Object.fromEntries(
    filled.filter(({ cell }) => cell !== '').map(({ name, separator, cell }) => [name, toValue(name, cell, separator)]),
  );
}

function toValue(name: string, cell: string, separator: string): unknown {
  const type = types.get(name);
  if (type === 'boolean') return flags[cell.toLowerCase()] ?? cell;
  if (type !== 'list') return cell;
  const parts = cell.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}
