/** The bytes of a file, from its beginning each time. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

/** A record to import under the contract's names and where it stood, or why there is none at that place. */
export type ImportEntry = Readonly<
  | { place: string; record: Readonly<Record<string, unknown>>; /** Of its text. */ characters?: number }
  | { place: string; fault: string }
>;

/** A column of a table, or a name that records of JSON use. */
export type TableColumn = Readonly<{
  name: string;
  /** The field that it is stored in, by its name in the contract; null if it is left out. */
  field: string | null;
  /** What stands between the values of a list; null where the values are no texts. */
  separator: string | null;
}>;

/** What there is to import; it can be read several times. */
export type ImportSource = Readonly<{
  /** How it is read, where that is not as usual: "separated by semicolons". */
  notes: readonly string[];
  /** Its columns, each for the field of its own name, with the separator that its values show. */
  columns(): Promise<readonly TableColumn[]>;
  /** Its records; other columns than its own say what is stored where. */
  read(columns?: readonly TableColumn[]): AsyncIterable<ImportEntry>;
  /** The same for a preview, where reading brings files along. */
  described?: () => AsyncIterable<ImportEntry>;
}>;
