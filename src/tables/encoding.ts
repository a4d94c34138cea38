import { maxRecordCharacters } from './limits.ts';

/** Encodings of text files. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Byte order marks, with the encodings that they indicate. */
const marks: readonly Readonly<{ encoding: TextEncoding; bytes: readonly number[] }>[] = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
];

/**
 * Detects the encoding of a text file: by its byte order mark; otherwise UTF-8 if the bytes are valid; otherwise
 * Latin-1, in its common form windows-1252. A few broken characters among valid ones do not make a file Latin-1.
 */
export async function detectEncoding(bytes: AsyncIterable<Uint8Array>): Promise<TextEncoding> {
  const decoder = new TextDecoder('utf-8');
  let [isFirst, good, broken] = [true, 0, 0];
  const count = (text: string) => {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80 || isLowSurrogate(unit)) continue;
      if (unit === 0xfffd) broken += 1;
      else good += 1;
    }
  };
  for await (const chunk of bytes) {
    const marked = isFirst && marks.find((mark) => mark.bytes.every((byte, at) => chunk[at] === byte));
    if (marked) return marked.encoding;
    isFirst = false;
    count(decoder.decode(chunk, { stream: true }));
  }
  count(decoder.decode());
  return broken > good ? 'windows-1252' : 'utf-8';
}

/** Whether a code unit is the second half of a surrogate pair. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Reads the text of a file in pieces, without its byte order mark. */
export async function* readText(bytes: AsyncIterable<Uint8Array>, encoding: TextEncoding): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/**
 * Splits a text that arrives in pieces into lines. Only a line feed ends a line, because a JSON text may contain
 * U+2028. A line longer than a record may be is truncated, but stays longer than that.
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let open = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    if (open.length <= maxRecordCharacters) open += first;
    for (const other of others) {
      // No regular expression, because it would scan each long line for its last character.
      yield open.endsWith('\r') ? open.slice(0, -1) : open;
      open = other;
    }
  }
  if (open !== '') yield open;
}
