import type { CarriedAnalysis, RecordRow } from '../catalog/index.ts';
import { toCell } from '../lib/csv-cells.ts';
import type { Column } from './columns.ts';
import type { ExportWriter } from './write-export.ts';

/** Takes records one by one and writes the file of an export. */
export type ExportSink = Readonly<{
  /**
   * Adds a record.
   *
   * @param analysis of the record, in the format that includes it
   * @throws ElementError if this record cannot be exported; NoRoomError if there is no space left for the file.
   */
  add(record: RecordRow, analysis?: CarriedAnalysis): Promise<void>;
  /** Writes what follows the last record. */
  end(): Promise<void>;
  /** Releases all resources, even if the end was not reached. */
  close(): Promise<void>;
}>;

type TextFormat = Readonly<{
  head: (columns: readonly Column[]) => string;
  line: (values: readonly Named[]) => string;
}>;
type Named = readonly [name: string, value: unknown];

const ndjson: TextFormat = {
  head: () => '',
  line: (values) => `${JSON.stringify(Object.fromEntries(values))}\n`,
};

/** CSV has a header and CRLF line ends, as in RFC 4180; NDJSON has one object per line. */
const textFormats = {
  csv: {
    head: (columns) => `${columns.map(({ name }) => name).join(',')}\r\n`,
    line: (values) => `${values.map(([, value]) => toCell(value)).join(',')}\r\n`,
  },
  ndjson,
  analyzed: ndjson,
} as const satisfies Record<string, TextFormat>;

/** The values of a record, with the names of their columns. */
export function valuesOf(record: RecordRow, columns: readonly Column[]): readonly Named[] {
  const values = record as Readonly<Record<string, unknown>>;
  return columns.map(({ name, property }) => [name, values[property] ?? null]);
}

/** Writes records as lines of text. */
export function openTextSink(
  format: keyof typeof textFormats,
  columns: readonly Column[],
  writer: Pick<ExportWriter, 'write'>,
): ExportSink {
  const { head, line } = textFormats[format];
  let start = head(columns);
  const write = async (text: string) => {
    const bytes = Buffer.from(start + text);
    start = '';
    if (bytes.length > 0) await writer.write(bytes);
  };
  return {
    add: (record, analysis) =>
      write(line([...valuesOf(record, columns), ...(analysis === undefined ? [] : [['analysis', analysis] as const])])),
    end: () => write(''),
    close: async () => {},
  };
}
