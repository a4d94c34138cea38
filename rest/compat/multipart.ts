/**
 * Reads multipart/form-data as it arrives, by the rules of the server that legacy clients know: content before the
 * first boundary is an error, a truncated last part is dropped, and content after the last boundary is ignored.
 */

/** Receives the content of a part. */
export type PartSink = Readonly<{ write(bytes: Buffer): void; end(): void }>;

/** A body that is not valid multipart. */
export class MultipartError extends Error {}

const maxHeaders = 8;
const maxHeaderBytes = 4096 + 128;
const maxBoundaryBytes = 256;

const [tab, lf, cr, blank, hyphen, colon] = [9, 10, 13, 32, 45, 58];
const isToken = (text: string) => /^[\w!#$%&'*+.^`|~-]*$/.test(text);

type State = 'start' | 'opening' | 'headers' | 'content' | 'padding' | 'end';

/** Creates the sink of a part from its headers `Content-Disposition` and `Content-Type`. */
export type OpenPart = (disposition: string | undefined, contentType: string | undefined) => PartSink;

/** Takes a body piece by piece and writes the content of each part to the sink that `openPart` creates for it. */
export class MultipartReader {
  readonly #delimiter: Buffer;
  readonly #openPart: OpenPart;
  #state: State = 'start';
  /** What the previous piece left unread. */
  #rest: Buffer = Buffer.alloc(0);
  #headers = 0;
  #disposition: string | undefined;
  #contentType: string | undefined;
  #sink: PartSink | undefined;

  /** @throws MultipartError when the boundary is too long. */
  constructor(boundary: string, openPart: OpenPart) {
    if (boundary.length > maxBoundaryBytes) throw new MultipartError();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#openPart = openPart;
  }

  /** @throws MultipartError, and what `openPart` and its sinks throw. */
  write(piece: Buffer): void {
    const data = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    while (at < data.length) {
      const next = this.#step(data, at);
      if (next === null) break;
      at = next;
    }
    this.#rest = data.subarray(at);
  }

  /** Returns the offset to continue from, or null if more data must arrive first. */
  #step(data: Buffer, at: number): number | null {
    switch (this.#state) {
      case 'start':
        return this.#start(data, at);
      case 'opening':
        return this.#opening(data, at);
      case 'headers':
        return this.#header(data, at);
      case 'content':
        return this.#content(data, at);
      case 'padding':
        return this.#padding(data, at);
      case 'end':
        return data.length;
    }
  }

  #start(data: Buffer, at: number): number {
    const dash = data[at] === cr || data[at] === lf ? data.indexOf('-', at) : at;
    if (dash === -1) return data.length;
    this.#state = 'opening';
    return dash;
  }

  /** Reads the first boundary, which need not follow a line break. */
  #opening(data: Buffer, at: number): number | null {
    const wanted = this.#delimiter.subarray(2);
    const seen = data.subarray(at, at + wanted.length);
    if (!wanted.subarray(0, seen.length).equals(seen)) throw new MultipartError();
    const after = at + wanted.length;
    const [first, second] = [data[after], data[after + 1]];
    if (first === undefined) return null;
    if (first !== cr && first !== hyphen) throw new MultipartError();
    if (second === undefined) return null;
    if (second !== (first === cr ? lf : hyphen)) throw new MultipartError();
    if (first === cr) this.#beginPart();
    else this.#state = 'end';
    return after + 2;
  }

  #beginPart(): void {
    this.#state = 'headers';
    this.#headers = 0;
    this.#disposition = undefined;
    this.#contentType = undefined;
  }

  #header(data: Buffer, at: number): number | null {
    if (data[at] === cr) {
      const second = data[at + 1];
      if (second === undefined) return null;
      if (second !== lf) throw new MultipartError();
      this.#sink = this.#openPart(this.#disposition, this.#contentType);
      this.#state = 'content';
      return at + 2;
    }
    if (this.#headers === maxHeaders) throw new MultipartError();
    const nameEnd = data.indexOf(colon, at);
    const name = data.toString('latin1', at, nameEnd === -1 ? undefined : nameEnd);
    if (name.length > maxHeaderBytes || !isToken(name) || nameEnd === at) throw new MultipartError();
    if (nameEnd === -1) return null;
    const valueEnd = data.indexOf(cr, nameEnd);
    if ((valueEnd === -1 ? data.length : valueEnd) - at > maxHeaderBytes) throw new MultipartError();
    if (valueEnd === -1 || valueEnd + 1 === data.length) return null;
    if (data[valueEnd + 1] !== lf) throw new MultipartError();
    this.#headers += 1;
    const value = data.toString('latin1', nameEnd + 1, valueEnd).replace(/^ +/, '');
    if (name.toLowerCase() === 'content-disposition') this.#disposition = value;
    else if (name.toLowerCase() === 'content-type') this.#contentType = value;
    return valueEnd + 2;
  }

  #content(data: Buffer, at: number): number | null {
    const found = data.indexOf(this.#delimiter, at);
    if (found === -1) return this.#pass(data, at, this.#partialDelimiter(data, at));
    if (found > at) return this.#pass(data, at, found);
    const after = at + this.#delimiter.length;
    const [first, second] = [data[after], data[after + 1]];
    if (first === undefined) return null;
    if (first === blank || first === tab) {
      this.#state = 'padding';
      return after;
    }
    if (first !== cr && first !== hyphen) return this.#pass(data, at, after);
    if (second === undefined) return null;
    if (second !== (first === cr ? lf : hyphen)) return this.#pass(data, at, after);
    this.#endPart();
    if (first === cr) this.#beginPart();
    else this.#state = 'end';
    return after + 2;
  }

  /** Passes content to the sink and returns the offset of its end; null if there is none. */
  #pass(data: Buffer, from: number, to: number): number | null {
    if (to === from) return null;
    this.#sink?.write(data.subarray(from, to));
    return to;
  }

  /** The offset of a partial delimiter at the end of the data; the end itself if there is none. */
  #partialDelimiter(data: Buffer, at: number): number {
    const from = Math.max(at, data.length - this.#delimiter.length + 1);
    const start = data.lastIndexOf(cr);
    const isPartial = start >= from && this.#delimiter.subarray(0, data.length - start).equals(data.subarray(start));
    return isPartial ? start : data.length;
  }

  #padding(data: Buffer, at: number): number | null {
    if (data[at] === blank || data[at] === tab) return at + 1;
    if (data[at] !== cr) throw new MultipartError();
    if (data[at + 1] === undefined) return null;
    if (data[at + 1] !== lf) throw new MultipartError();
    this.#endPart();
    this.#beginPart();
    return at + 2;
  }

  #endPart(): void {
    this.#sink?.end();
    this.#sink = undefined;
  }
}
