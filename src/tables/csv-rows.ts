import { maxRecordCharacters, tooLong } from './limits.ts';

/** A row of a CSV text and its place, or why it could not be read. */
export type CsvRow = Readonly<{ place: string; cells: readonly string[] } | { place: string; fault: string }>;

/** `closing`: a quote was read that ends the cell, unless more text follows. */
type State = 'start' | 'bare' | 'quoted' | 'closing';

/**
 * Reads the rows of a CSV text that arrives in pieces. Ignores blanks around cells, and empty lines; a quote in the
 * middle of a cell is part of its text, doubled or not. A row that is too long is a fault; if a quote in it is still
 * open, the rest of the text belongs to that fault and is not read.
 */
export async function* readCsvRows(pieces: AsyncIterable<string>, delimiter: string): AsyncIterable<CsvRow> {
  const reader = new RowReader(delimiter);
  for await (const piece of pieces) {
    yield* reader.read(piece);
    if (reader.hasUnclosedQuote) break;
  }
  yield* reader.end();
}

class RowReader {
  readonly #delimiter: string;
  readonly #tokens: RegExp;
  #cells: string[] = [];
  #cell = '';
  /** Blanks after a quote that may have ended the cell. */
  #after = '';
  #state: State = 'start';
  #number = 0;
  /** Characters of the row so far. */
  #length = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#tokens = new RegExp(`["\\r\\n${delimiter}]|[^"\\r\\n${delimiter}]+`, 'g');
  }

  /** Whether a quote was opened that will never close, given that no record is that long. */
  get hasUnclosedQuote(): boolean {
    return this.#state === 'quoted' && this.#isTooLong;
  }

  *read(piece: string): Iterable<CsvRow> {
    for (const [token] of piece.matchAll(this.#tokens)) {
      this.#length += token.length;
      const isInside = this.#state === 'quoted';
      if (this.#isTooLong && !isInside && token !== '\n' && token !== '\r') continue;
      if (!isInside && token === this.#delimiter) this.#endCell();
      else if (!isInside && (token === '\n' || token === '\r')) yield* this.#endRow();
      else this.#take(token);
    }
  }

  *end(): Iterable<CsvRow> {
    if (this.#state !== 'quoted') yield* this.#endRow();
    else {
      const fault = 'a quote opens here and never closes: the rest was ignored';
      yield { place: `row ${this.#number + 1}`, fault };
    }
  }

  get #isTooLong(): boolean {
    return this.#length > maxRecordCharacters;
  }

  #take(token: string): void {
    const isQuote = token === '"';
    if (this.#state === 'start') {
      if (isQuote) [this.#cell, this.#state] = ['', 'quoted'];
      else if (token.trim() !== '') [this.#cell, this.#state] = [token, 'bare'];
    } else if (this.#state === 'bare') this.#cell += token;
    else if (this.#state === 'quoted') {
      if (isQuote) [this.#after, this.#state] = ['', 'closing'];
      else this.#cell += token;
    } else if (isQuote && this.#after === '') [this.#cell, this.#state] = [`${this.#cell}"`, 'quoted'];
    else if (!isQuote && token.trim() === '') this.#after += token;
    else {
      this.#cell += `"${this.#after}${isQuote ? '' : token}`;
      [this.#after, this.#state] = ['', isQuote ? 'closing' : 'quoted'];
    }
  }

  #endCell(): void {
    this.#cells.push(this.#state === 'closing' ? this.#cell : this.#cell.trim());
    [this.#cell, this.#state] = ['', 'start'];
  }

  *#endRow(): Iterable<CsvRow> {
    this.#endCell();
    const cells = this.#cells;
    const isTooLong = this.#isTooLong;
    [this.#cells, this.#length] = [[], 0];
    if (cells.length === 1 && cells[0] === '') return;
    this.#number += 1;
    yield { place: `row ${this.#number}`, ...(isTooLong ? { fault: tooLong } : { cells }) };
  }
}
