/** A record to import under the contract's names and where it stood, or why there is none at that place. */
export type ImportEntry = Readonly<
  { place: string; record: Readonly<Record<string, unknown>> } | { place: string; fault: string }
>;

/** What there is to import; it can be read several times. */
export type ImportSource = Readonly<{
  /** How it is read, where that is not as usual: "separated by semicolons". */
  notes: readonly string[];
  read(): AsyncIterable<ImportEntry>;
}>;
