import { SetupError } from '../errors.ts';

const block = 512;
/** Sizes beyond eleven octal digits, and names beyond a hundred bytes, are written as GNU tar does. */
const octalMax = 8 ** 11;
const nameBytes = 100;
const longName = '././@LongLink';

/** One file of an archive; its content must be read, or left, before the next one comes. */
export type Entry = Readonly<{ name: string; size: number; content: AsyncIterable<Buffer> }>;

/** The head of a file in an archive. */
export function tarHead(name: string, size: number): Buffer {
  const bytes = Buffer.from(name);
  if (bytes.length <= nameBytes) return head(bytes, size, '0');
  const long = Buffer.concat([bytes, Buffer.from([0])]);
  return Buffer.concat([
    head(Buffer.from(longName), long.length, 'L'),
    long,
    tarFill(long.length),
    head(bytes.subarray(0, nameBytes), size, '0'),
  ]);
}

/** What follows the content of a file, up to the next block. */
export function tarFill(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * block);

function head(name: Buffer, size: number, type: '0' | 'L'): Buffer {
  const result = Buffer.alloc(block);
  name.copy(result, 0);
  result.write('0000600\0', 100);
  result.write('0000000\0', 108);
  result.write('0000000\0', 116);
  if (size < octalMax) {
    result.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  } else {
    result.writeUInt8(0x80, 124);
    result.writeBigUInt64BE(BigInt(size), 128);
  }
  result.write(
    `${Math.floor(Date.now() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
  );
  result.write('        ', 148);
  result.write(type, 156);
  result.write('ustar\x0000', 257, 'latin1');
  const sum = result.reduce((total, byte) => total + byte, 0);
  result.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return result;
}

/** The files of an archive, in order. @throws SetupError where it is none, or cut off. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const reader = new ByteReader(source);
  for (let name: string | null = null; ;) {
    const found = await reader.take(block);
    if (found.every((byte) => byte === 0)) return;
    checkSum(found);
    const size = sizeOf(found);
    const isName = String.fromCharCode(found[156] ?? 0) === 'L';
    if (isName) {
      name = untilZero(await reader.take(size));
      await reader.take(tarFill(size).length);
      continue;
    }
    const part = new Part(reader, size);
    yield { name: name ?? untilZero(found.subarray(0, nameBytes)), size, content: part };
    name = null;
    for await (const rest of part) void rest; // What nobody wanted.
    await reader.take(tarFill(size).length);
  }
}

function untilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? undefined : end).toString();
}

function sizeOf(found: Buffer): number {
  if ((found[124] ?? 0) & 0x80) return Number(found.readBigUInt64BE(128));
  return Number.parseInt(untilZero(found.subarray(124, 136)), 8);
}

function checkSum(found: Buffer): void {
  const sum = found.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (Number.parseInt(found.subarray(148, 155).toString(), 8) !== sum) {
    throw new SetupError('This is no archive of "vitrine backup", or it is damaged.');
  }
}

/** The content of one file, readable once, piece by piece. */
class Part implements AsyncIterable<Buffer> {
  #left: number;
  readonly #reader: ByteReader;

  constructor(reader: ByteReader, size: number) {
    this.#reader = reader;
    this.#left = size;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const piece = await this.#reader.some(this.#left);
      this.#left -= piece.length;
      yield piece;
    }
  }
}

/** Takes bytes off a stream in the numbers that are wanted. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** What is there, at least one byte and at most so many. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) throw new SetupError('The archive is cut off: its end is missing.');
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = count; left > 0;) {
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }
}
