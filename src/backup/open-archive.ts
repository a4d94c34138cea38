import { open, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SetupError } from '../lib/errors.ts';
import { openUnnamedFile } from '../lib/unnamed-file.ts';

const pieceBytes = 256 * 1024;

/** An archive that can be read from the start any number of times, always from the same file. */
export type OpenArchive = Readonly<{ read(): AsyncIterable<Buffer>; close(): Promise<void> }>;

/**
 * Opens an archive, compressed or not. A stream is saved to a temporary file until the archive is closed, because an
 * archive is read twice: checked, then restored.
 *
 * @throws SetupError if there is no such file.
 */
export async function openArchive(from: string | AsyncIterable<Buffer>): Promise<OpenArchive> {
  return reader(await (typeof from === 'string' ? openFile(from) : saveStream(from)));
}

async function saveStream(stream: AsyncIterable<Buffer>): Promise<FileHandle> {
  const file = await openUnnamedFile();
  try {
    await writeFile(file, stream); // A stream of the handle would keep it from being closed.
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new SetupError(`File not found: ${file}.`);
  }
}

async function reader(handle: FileHandle): Promise<OpenArchive> {
  try {
    if (!(await handle.stat()).isFile()) throw new SetupError('Not a file. Use - to read standard input.');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    const isPacked = bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
    return { read: () => bytesOf(handle, isPacked), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function bytesOf(handle: FileHandle, isPacked: boolean): AsyncIterable<Buffer> {
  const bytes = Readable.from(plainBytes(handle), { objectMode: false });
  if (!isPacked) return bytes as AsyncIterable<Buffer>;
  const gunzip = createGunzip();
  bytes.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => bytes.destroy());
  return bytes.pipe(gunzip) as AsyncIterable<Buffer>;
}

/** Reads from the handle directly: a stream would close it when iteration stops early. */
async function* plainBytes(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
