/** Turns a value into JSON at once; undefined for one that JSON does not know. */
export type WriteJson = (value: unknown) => string | undefined;

/** Characters of a piece of JSON, roughly: one takes a few tenths of a millisecond to write, less than a time slice. */
const pieceLength = 32 * 1024;

/** A reply longer than this is written in pieces: below it, writing takes under five milliseconds. */
const largeLength = 1024 * 1024;

/** Whether writing a value at once would hold up others. */
export function isLargeJson(value: unknown): boolean {
  return isLongerThan(value, largeLength);
}

/** Whether the JSON of a value is longer than so many characters, roughly; stops counting there. */
export function isLongerThan(value: unknown, length: number): boolean {
  return rest(value, length) < 0;
}

/** Length of the JSON of a value, roughly. */
export function jsonLengthOf(value: unknown): number {
  return Number.MAX_SAFE_INTEGER - rest(value, Number.MAX_SAFE_INTEGER);
}

/** What is left of a number of characters when a value is written; negative where they do not suffice. */
function rest(value: unknown, length: number): number {
  if (typeof value === 'string') return length - value.length - 2;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return length - 8;
  let left = length - 2;
  if (Array.isArray(value)) {
    for (const each of value) {
      left = rest(each, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    left = rest((value as Record<string, unknown>)[name], left - name.length - 4);
    if (left < 0) return left;
  }
  return left;
}

/** The JSON of a value in pieces of some ten thousand characters, made as they are asked for. */
export function* jsonPieces(value: unknown, write: WriteJson = JSON.stringify): Generator<string, void> {
  let piece = '';
  for (const part of parts(value, write)) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** What is short is written at once, what is long by its elements. */
function* parts(value: unknown, write: WriteJson): Generator<string, void> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || !isLongerThan(value, pieceLength)) {
    yield write(value) ?? 'null';
    return;
  }
  if (Array.isArray(value)) return yield* partsOfList(value, write);
  let separator = '{';
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    yield `${separator}${write(name)}:`;
    yield* parts(each, write);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** As many elements at once as make a piece: a call for each record would take twice as long. */
function* partsOfList(list: readonly unknown[], write: WriteJson): Generator<string, void> {
  let separator = '[';
  let from = 0;
  let left = pieceLength;
  function* upTo(end: number): Generator<string, void> {
    if (end === from) return;
    yield separator;
    yield (write(list.slice(from, end)) ?? '').slice(1, -1);
    separator = ',';
    from = end;
  }
  for (const [at, each] of list.entries()) {
    left = rest(each, left - 1);
    if (left >= 0) continue;
    yield* upTo(at);
    left = rest(each, pieceLength);
    if (left >= 0) continue;
    yield separator;
    yield* parts(each, write);
    separator = ',';
    from = at + 1;
    left = pieceLength;
  }
  yield* upTo(list.length);
  yield separator === '[' ? '[]' : ']';
}
