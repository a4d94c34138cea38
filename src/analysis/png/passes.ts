import { damaged, samplesOf } from './chunks.ts';
import type { PngHeader } from './chunks.ts';
import { unfilter } from './filters.ts';

/** The passes of an interlaced PNG (PNG specification, section 8.2): the first column and row of each, and its steps. */
export const passes = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
] as const;
/** The last pass with pixels of even rows and columns: it has every second row of the half picture. */
export const lastOfHalf = 4;

/** Number of bytes that may follow the pixels: decoders ignore them, too. */
const moreBytes = 2 ** 16;

/** One row of one pass; its pixels are valid until the next row is requested. */
type PassRow = Readonly<{ pass: number; row: number; pixels: Uint8Array }>;

/** Yields the rows of the passes that form the half picture; rows of other passes are skipped. @throws ElementError */
export async function* passRows(source: AsyncIterable<Buffer>, header: PngHeader): AsyncGenerator<PassRow> {
  const bits = header.depth * samplesOf(header);
  const input = new Input(source);
  for (const [pass, { x, y, dx, dy }] of passes.entries()) {
    const [columns, rows] = [Math.ceil((header.width - x) / dx), Math.ceil((header.height - y) / dy)];
    if (columns <= 0 || rows <= 0) continue;
    const rowBytes = Math.ceil((columns * bits) / 8);
    if (pass > lastOfHalf) {
      await input.skip((1 + rowBytes) * rows);
      continue;
    }
    let [pixels, above] = [new Uint8Array(1 + rowBytes), new Uint8Array(1 + rowBytes)];
    for (let row = 0; row < rows; row += 1) {
      if (!input.take(pixels)) await input.fill(pixels);
      unfilter(pixels[0] ?? 0, pixels.subarray(1), above.subarray(1), Math.max(1, bits >> 3));
      yield { pass, row, pixels: pixels.subarray(1) };
      [pixels, above] = [above, pixels];
    }
  }
  await input.end();
}

/** Reads the bytes of a stream in pieces of the requested length. */
class Input {
  readonly #pieces: AsyncIterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Fills the array if the current piece has enough bytes left. */
  take(into: Uint8Array): boolean {
    if (this.#piece.length - this.#at < into.length) return false;
    into.set(this.#piece.subarray(this.#at, this.#at + into.length));
    this.#at += into.length;
    return true;
  }

  /** @throws ElementError `decode_failed` if the stream ends before that. */
  async fill(into: Uint8Array): Promise<void> {
    for (let filled = 0; filled < into.length;) {
      const part = this.#piece.subarray(this.#at, this.#at + into.length - filled);
      into.set(part, filled);
      filled += part.length;
      this.#at += part.length;
      if (filled < into.length) await this.#next();
    }
  }

  /** @throws like `fill`. */
  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0;) {
      const passed = Math.min(left, this.#piece.length - this.#at);
      this.#at += passed;
      left -= passed;
      if (left > 0) await this.#next();
    }
  }

  /** Reads to the end of the stream, so that its checksum is verified. @throws like `fill`, if too much follows. */
  async end(): Promise<void> {
    for (let more = 0; more <= moreBytes;) {
      const { value, done } = await this.#pieces.next();
      if (done === true) return;
      more += value.length;
    }
    throw damaged('its data is corrupt');
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#pieces.next();
    if (done === true) throw damaged('it is cut off');
    [this.#piece, this.#at] = [value, 0];
  }
}
