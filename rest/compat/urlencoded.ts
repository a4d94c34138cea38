const ampersand = 0x26;

/** Reads application/x-www-form-urlencoded as it arrives. */
export class UrlencodedReader {
  readonly #onField: (name: string, value: string) => void;
  readonly #maxBytes: number;
  readonly #onTooLong: () => never;
  #pending: string[] = [];
  #pendingLength = 0;

  /** `onTooLong` is called for a field whose name and value together exceed `maxBytes`. */
  constructor(onField: (name: string, value: string) => void, maxBytes: number, onTooLong: () => never) {
    this.#onField = onField;
    this.#maxBytes = maxBytes;
    this.#onTooLong = onTooLong;
  }

  write(piece: Buffer): void {
    let start = 0;
    for (let at = piece.indexOf(ampersand); at !== -1; at = piece.indexOf(ampersand, start)) {
      if (at > start) this.#add(piece.toString('latin1', start, at));
      this.end();
      start = at + 1;
    }
    if (start < piece.length) this.#add(piece.toString('latin1', start));
  }

  /** Completes the current field. */
  end(): void {
    if (this.#pendingLength === 0) return; // Consecutive ampersands, however many, contain no field.
    const field = this.#pending.join('');
    [this.#pending, this.#pendingLength] = [[], 0];
    const equals = field.indexOf('=');
    const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
    this.#onField(decodeField(name), decodeField(value));
  }

  #add(part: string): void {
    this.#pending.push(part);
    this.#pendingLength += part.length;
    // One extra byte for the `=` between name and value, which does not count.
    if (this.#pendingLength > this.#maxBytes + 1) this.#onTooLong();
  }
}

function decodeField(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Decodes percent-encoding; bytes that are not UTF-8 become U+FFFD, and invalid escapes are kept. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeLoosely(text);
  }
}

const percent = 0x25;

/** Decodes byte by byte, in place: a megabyte of invalid escapes takes milliseconds. */
function decodeLoosely(text: string): string {
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === percent && at + 2 < bytes.length) {
      const value = 16 * hexDigit(bytes[at + 1] ?? 0) + hexDigit(bytes[at + 2] ?? 0);
      if (value >= 0) {
        byte = value;
        at += 2;
      }
    }
    bytes[end] = byte;
    end += 1;
  }
  return bytes.toString('utf8', 0, end);
}

/** The value of an ASCII hexadecimal digit; for anything else, a number that makes the value of the pair negative. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -256;
}
