/** Limits of a JSON text. */
export type JsonLimits = Readonly<{
  /** Number of values, including containers: an empty array takes 3 bytes of text and 16 of memory. */
  values: number;
  /** Bytes of one string or number. */
  valueBytes: number;
}>;

/** Thrown for a text that is refused before all of it is parsed. */
export class JsonTooLarge extends Error {
  readonly limit: keyof JsonLimits;

  constructor(limit: keyof JsonLimits) {
    super(limit === 'values' ? 'too many values' : 'one value is too long');
    this.limit = limit;
  }
}

/** A syntax error in the text, after its first `at` bytes. */
export class JsonFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
