/** Turns a value into JSON at once; undefined for values that JSON cannot represent. */
type WriteJson = (value: unknown) => string | undefined;

/**
 * Approximate length of a piece of JSON in characters: it takes a few tenths of a millisecond to write, less than a time
 * slice.
 */
const pieceLength = 32 * 1024;

/** Replies longer than this are written in pieces; shorter ones take under five milliseconds to write. */
const largeLength = 1024 * 1024;

/** Whether writing a value at once would delay other requests. */
export function isLargeJson(value: unknown): boolean {
  return isLongerThan(value, largeLength);
}

/** Whether the JSON of a value is longer than `length` characters, roughly; stops counting there. */
export function isLongerThan(value: unknown, length: number): boolean {
  return rest(value, length) < 0;
}

/** Approximate length of the JSON of a value. */
export function jsonLengthOf(value: unknown): number {
  return Number.MAX_SAFE_INTEGER - rest(value, Number.MAX_SAFE_INTEGER);
}

/** Characters left after a value is written; negative if there are too few. */
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

/** The JSON of a value in pieces of some ten thousand characters, generated on demand. */
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

/** Writes short values at once and long ones element by element. */
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

/** Writes as many elements at once as fill a piece: one call for each record would take twice as long. */
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
