const ampersand = 0x26;

/** Reads application/x-www-form-urlencoded as it arrives. */
export class UrlencodedReader {
  readonly #onField: (name: string, value: string) => void;
  readonly #maxBytes: number;
  readonly #onTooLong: () => never;
  #pending: string[] = [];
  #pendingLength = 0;

  /** `onTooLong` is called for a field, name and value together, of more than `maxBytes`. */
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
    if (this.#pendingLength === 0) return; // Nothing between two ampersands, however many there are.
    const field = this.#pending.join('');
    [this.#pending, this.#pendingLength] = [[], 0];
    const equals = field.indexOf('=');
    const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
    this.#onField(decodeField(name), decodeField(value));
  }

  #add(part: string): void {
    this.#pending.push(part);
    this.#pendingLength += part.length;
    // One more for the `=` between name and value, which does not count.
    if (this.#pendingLength > this.#maxBytes + 1) this.#onTooLong();
  }
}

function decodeField(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

/** Decodes percent encoding; bytes that are not UTF-8 become U+FFFD, and what is not a valid escape stays. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeLoosely(text);
  }
}

function decodeLoosely(text: string): string {
  // oxlint-disable-next-line no-control-regex -- runs of ASCII: other characters are as they stand
  return text.replace(/[\u0000-\u007f]+/g, (run) =>
    Buffer.from(
      run.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ).toString('utf8'),
  );
}
