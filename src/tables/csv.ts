import { listSeparator } from '../lib/csv-cells.ts';
import { SetupError } from '../lib/errors.ts';
import { toRecord } from './columns.ts';
import { readCsvRows } from './csv-rows.ts';
import type { CsvRow } from './csv-rows.ts';
import { detectEncoding, linesOf, readText } from './encoding.ts';
import type { TextEncoding } from './encoding.ts';
import type { TableColumn, ImportEntry, ImportSource, OpenBytes } from './table.ts';

/** Delimiters of cells, with their names. */
const delimiters: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };
/** Possible separators of list values; each column uses the first one that occurs in any of its cells. */
const listSeparators = [listSeparator, ';', ','] as const;

type Format = Readonly<{ bytes: OpenBytes; encoding: TextEncoding; delimiter: string }>;

/**
 * Opens a CSV file; detects its encoding and the separators of its cells and lists.
 *
 * @throws SetupError when it has no header.
 */
export async function openCsv(name: string, bytes: OpenBytes): Promise<ImportSource> {
  const encoding = await detectEncoding(bytes());
  const delimiter = await detectDelimiter(name, readText(bytes(), encoding));
  const format = { bytes, encoding, delimiter };
  const own = await readColumns(format);
  const notes = [
    ...(delimiter === ',' ? [] : [`separated by ${delimiters[delimiter] ?? delimiter}`]),
    ...(encoding === 'utf-8' ? [] : [`read as ${encoding === 'windows-1252' ? 'Latin-1' : encoding.toUpperCase()}`]),
  ];
  return { notes, columns: async () => own, read: (columns = own) => readRecords(format, columns) };
}

/** Returns the delimiter that is most frequent in the first line, outside quotes. */
async function detectDelimiter(name: string, text: AsyncIterable<string>): Promise<string> {
  for await (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    const bare = line.replaceAll(/"[^"]*"/g, '');
    const counts = Object.keys(delimiters).map((sign) => ({ sign, count: bare.split(sign).length }));
    return counts.toSorted((a, b) => b.count - a.count)[0]?.sign ?? ',';
  }
  throw new SetupError(`${name} is empty. The first line must contain the column names: id,src_path,title,…`);
}

function readRows({ bytes, encoding, delimiter }: Format): AsyncIterable<CsvRow> {
  return readCsvRows(readText(bytes(), encoding), delimiter);
}

/** Reads the names of the columns, and the separator that list values in each would have. */
async function readColumns(format: Format): Promise<TableColumn[]> {
  let names: readonly string[] | null = null;
  const found: Set<string>[] = [];
  for await (const row of readRows(format)) {
    if ('fault' in row) continue;
    if (names === null) {
      names = row.cells;
      continue;
    }
    for (const [index, cell] of row.cells.entries()) {
      const seen = (found[index] ??= new Set());
      for (const sign of listSeparators) if (cell.includes(sign)) seen.add(sign);
    }
  }
  return (names ?? []).map((given, index) => {
    const name = given === '' ? `column ${index + 1}, which has no name` : given;
    return { name, field: name, separator: listSeparators.find((sign) => found[index]?.has(sign)) ?? ',' };
  });
}

async function* readRecords(format: Format, columns: readonly TableColumn[]): AsyncIterable<ImportEntry> {
  let isHeader = true;
  for await (const row of readRows(format)) {
    if ('fault' in row) yield row;
    else if (isHeader) isHeader = false;
    else if (row.cells.slice(columns.length).some((cell) => cell !== '')) {
      yield { place: row.place, fault: `${row.cells.length} cells, but the header has ${columns.length}` };
    } else yield { place: row.place, record: toRecord(columns, row.cells) };
  }
}
