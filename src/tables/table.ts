/** Reads the bytes of a file, from its beginning each time. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

/**
 * A record to import, with the names of the contract, and its position in the source; or why there is none at that
 * position.
 */
export type ImportEntry = Readonly<
  | { place: string; record: Readonly<Record<string, unknown>>; /** Length of its text. */ characters?: number }
  | { place: string; fault: string }
>;

/** A column of a table, or a property name of JSON records. */
export type TableColumn = Readonly<{
  name: string;
  /** The field that it is stored in, by its name in the contract; null if it is left out. */
  field: string | null;
  /** The separator of list values; null if the values are not text. */
  separator: string | null;
}>;

/** A source to import; it can be read several times. */
export type ImportSource = Readonly<{
  /** How it is read, if that is unusual: "separated by semicolons". */
  notes: readonly string[];
  /** Returns its columns, each mapped to the field of the same name, with the separator found in its values. */
  columns(): Promise<readonly TableColumn[]>;
  /** Reads its records; `columns` can map columns to other fields. */
  read(columns?: readonly TableColumn[]): AsyncIterable<ImportEntry>;
  /** The same for a preview, if reading also transfers files. */
  described?: () => AsyncIterable<ImportEntry>;
  /** Whether ids were derived from the paths of files, so that files of two folders may get the same id. */
  idsFromPlaces?: boolean;
  /** Reads descriptions that a sample of its files contains, if it is a folder of files. */
  embeddedTexts?: () => AsyncIterable<string>;
}>;
