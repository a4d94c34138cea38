import type { CarriedAnalysis, RecordRow } from '../catalog/index.ts';
import { toCell } from '../lib/csv-cells.ts';
import type { Column } from './columns.ts';
import type { ExportWriter } from './write-export.ts';

/** Takes records one by one and writes the file of an export. */
export type ExportSink = Readonly<{
  /**
   * @param analysis of the record, in the format that has it
   * @throws ElementError where this record cannot be exported; NoRoomError where the file would be too large.
   */
  add(record: RecordRow, analysis?: CarriedAnalysis): Promise<void>;
  /** Writes what comes after the last record. */
  end(): Promise<void>;
  /** Lets go of everything, also where the end was not reached. */
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

/** CSV has a header and lines that end as RFC 4180 has them; NDJSON an object in each line. */
const textFormats = {
  csv: {
    head: (columns) => `${columns.map(({ name }) => name).join(',')}\r\n`,
    line: (values) => `${values.map(([, value]) => toCell(value)).join(',')}\r\n`,
  },
  ndjson,
  analyzed: ndjson,
} as const satisfies Record<string, TextFormat>;

/** The values of a record by the names of their columns. */
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
