import type { Header } from '../request.ts';

/** What is said of a body, and the body as it is sent. */
type Framed = Readonly<{ headers: readonly Header[]; payload: Iterable<Buffer | string> }>;
export type Framing = (body: Buffer) => Framed;

const chunkBytes = 16 * 1024;
const chunked: Header = ['Transfer-Encoding', 'chunked'];
const length = (value: number | string): Header => ['Content-Length', String(value)];
const plain =
  (headers: (body: Buffer) => readonly Header[]): Framing =>
  (body) => ({
    headers: headers(body),
    payload: [body],
  });
const inChunks = (
  write: (body: Buffer) => Iterable<Buffer | string>,
  headers: readonly Header[] = [chunked],
): Framing => {
  return (body) => ({ headers, payload: write(body) });
};

function* chunks(body: Buffer, bytes = chunkBytes): Generator<Buffer | string> {
  for (let at = 0; at < body.length; at += bytes) {
    const piece = body.subarray(at, at + bytes);
    yield `${piece.length.toString(16)}\r\n`;
    yield piece;
    yield '\r\n';
  }
}

function* ended(body: Buffer, end: string): Generator<Buffer | string> {
  yield* chunks(body);
  yield end;
}

const lastChunk = '0\r\n\r\n';
/** At most so much of a body is cut into single bytes. */
const fineBytes = 2_000;

/** Ways to say where a body ends, right and wrong. */
export const framings = {
  none: () => ({ headers: [], payload: [] }),
  exact: plain((body) => [length(body.length)]),
  'no length': plain(() => []),
  'length too short': plain((body) => [length(Math.max(0, body.length - 7))]),
  'length too long': plain((body) => [length(body.length + 1000)]),
  'length zero': plain(() => [length(0)]),
  'length twice, the same': plain((body) => [length(body.length), length(body.length)]),
  'length twice, different': plain((body) => [length(body.length), length(body.length + 1)]),
  'length as a list': plain((body) => [length(`${body.length}, ${body.length}`)]),
  'length negative': plain(() => [length(-1)]),
  'length with a plus': plain((body) => [length(`+${body.length}`)]),
  'length hexadecimal': plain((body) => [length(`0x${body.length.toString(16)}`)]),
  'length beyond 64 bits': plain(() => [length('99999999999999999999999')]),
  'length of a terabyte': plain(() => [length(2 ** 40)]),
  'length empty': plain(() => [length('')]),
  'length with a space in it': plain(() => [length('1 0')]),
  chunked: inChunks((body) => ended(body, lastChunk)),
  'chunked in single bytes': inChunks(function* (body) {
    yield* chunks(body.subarray(0, fineBytes), 1);
    yield lastChunk;
  }),
  'chunked without an end': inChunks((body) => chunks(body)),
  'chunk size wrong': inChunks(() => ['zz\r\nabc\r\n', lastChunk]),
  'chunk size negative': inChunks(() => ['-5\r\nabc\r\n', lastChunk]),
  'chunk size huge': inChunks(() => ['ffffffffffffffff\r\nabc\r\n']),
  'chunk size beyond 64 bits': inChunks(() => ['1ffffffffffffffffffff\r\nabc\r\n']),
  'chunk longer than it says': inChunks(() => ['2\r\nabcdef\r\n', lastChunk]),
  'chunk lines without returns': inChunks(() => ['3\nabc\n0\n\n']),
  'chunk extension long': inChunks((body) => [`3;${'e'.repeat(60_000)}\r\nabc\r\n`, ...ended(body, lastChunk)]),
  'chunk extensions many': inChunks(() => [...Array<string>(2_000).fill(`1;${'x=y;'.repeat(20)}\r\na\r\n`), lastChunk]),
  'trailers many': inChunks((body) => ended(body, `0\r\n${'X-Trailer: value\r\n'.repeat(1_000)}\r\n`)),
  'trailer huge': inChunks((body) => ended(body, `0\r\nX-Trailer: ${'v'.repeat(100_000)}\r\n\r\n`)),
  'trailer with a key': inChunks((body) => ended(body, '0\r\nAPI-Key: wrong\r\nHost: elsewhere\r\n\r\n')),
  'chunked and length': inChunks((body) => ended(body, lastChunk), [chunked, length(5)]),
  'length and chunked': inChunks((body) => ended(body, lastChunk), [length(5), chunked]),
  'chunked twice': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', 'chunked, chunked']]),
  'chunked in two headers': inChunks((body) => ended(body, lastChunk), [chunked, chunked]),
  'chunked, then gzip': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', 'chunked, gzip']]),
  'gzip, then chunked': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', 'gzip, chunked']]),
  'chunked, misspelled': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', 'xchunked']]),
  'chunked with a weight': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', 'chunked;q=1']]),
  'chunked after a vertical tab': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', '\u000bchunked']]),
  'chunked behind a space': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding ', 'chunked']]),
  'chunked in a folded line': inChunks((body) => ended(body, lastChunk), [['Transfer-Encoding', '\r\n chunked']]),
  identity: plain((body) => [['Transfer-Encoding', 'identity'], length(body.length)]),
} as const satisfies Record<string, Framing>;

export type FramingName = keyof typeof framings;

/** Two servers would read these bodies differently. */
export const ambiguousBodies: readonly FramingName[] = [
  'chunk size wrong',
  'chunk size negative',
  'chunk longer than it says',
];

/** Two servers would read these heads differently: nothing but a refusal is promised, whatever is asked. */
export const ambiguousHeads: readonly FramingName[] = [
  'length twice, different',
  'length as a list',
  'length negative',
  'length with a plus',
  'length hexadecimal',
  'length beyond 64 bits',
  'length with a space in it',
  'chunked and length',
  'length and chunked',
  'chunked twice',
  'chunked in two headers',
  'chunked, then gzip',
  'chunked, misspelled',
  'chunked with a weight',
  'chunked after a vertical tab',
  'chunked behind a space',
  'chunked in a folded line',
];
