import { extract } from 'tar-stream';
import type { Pack } from 'tar-stream';
import { SetupError } from '../lib/errors.ts';
import { cutOff, noArchive, quoted } from './members.ts';

/** One file of a tar; its content must be read, or skipped, before the next file. */
export type Entry = Readonly<{ name: string; size: number; content: AsyncIterable<Buffer> }>;

type Content = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Adds a file to a tar, no faster than the tar is read. @throws if the tar is destroyed in the meantime. */
export async function addEntry(tar: Pack, name: string, size: number, content: Content): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const header = { name, size, mode: 0o600, type: 'file' } as const;
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
    entry.on('error', reject);
    pump(content, entry).catch(reject);
  });
}

/**
 * The files of a tar, in order. Anything but a regular file is refused: links, devices and folders.
 *
 * @throws SetupError if it is not a tar, contains something else, or is truncated.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const tar = extract();
  // If the tar fails while a file is being read, the file's own error only says that its stream was destroyed.
  let cause: unknown;
  tar.on('error', (error) => (cause ??= error));
  let isEmpty = true;
  const feeding = pump(source, tar).catch((error: Error) => tar.destroy(error));
  try {
    for await (const part of tar) {
      isEmpty = false;
      const { name, size = 0, type } = part.header;
      if (type !== 'file') throw new SetupError(`The archive contains ${quoted(name)}, which is not a regular file.`);
      const content = piecesOf(part as AsyncIterable<Buffer>, () => cause);
      yield { name, size, content };
      for await (const rest of content) void rest; // Skips what was not read.
    }
  } catch (error) {
    // A file that ends before the first header is not a tar.
    throw isEmpty && isCutOff(error) ? noArchive() : inWords(error);
  } finally {
    tar.destroy(new Error('the archive is no longer read'));
    await feeding;
  }
}

/** A generator, because iterating over an ended stream of tar-stream again destroys the whole tar. */
async function* piecesOf(part: AsyncIterable<Buffer>, cause: () => unknown): AsyncGenerator<Buffer> {
  try {
    yield* part;
  } catch (error) {
    throw inWords(cause() ?? error);
  }
}

/** The part of the stream interface that tar-stream's pack and extract share; they are not Node streams. */
type Sink = Pick<NodeJS.WritableStream, 'on' | 'off' | 'end'> &
  Readonly<{ destroyed: boolean; write(piece: Buffer): boolean }>;

/** Writes everything to a stream and ends it; stops if the stream is destroyed. */
async function pump(content: Content, into: unknown): Promise<void> {
  const sink = into as Sink;
  for await (const piece of content) {
    if (sink.destroyed) return;
    if (!sink.write(piece) && !sink.destroyed) await drained(sink);
  }
  sink.end();
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sink.off('drain', done);
      sink.off('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
}

/** Blames the archive for errors of parsing and decompression; system errors are returned unchanged. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR' || isCutOff(error)) return cutOff();
  if (code.startsWith('Z_') || /\bheader\b/i.test(error.message)) return noArchive();
  return error;
}

const isCutOff = (error: unknown) => error instanceof Error && error.message === 'Unexpected end of data';
