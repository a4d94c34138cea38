import { rangeOf } from '../../lib/byte-range.ts';
import { ElementError } from '../../lib/errors.ts';
import type { KeptFile, Uploads } from '../../uploads/index.ts';
import { blockBytes, createBlockReader } from './block-reader.ts';
import type { OpenSource } from './open-source.ts';
import { maxFileBytes } from './read-path.ts';
import type { AskedPart, SourceStream } from './source-stream.ts';

/**
 * Reads an uploaded file as a whole.
 *
 * @throws ElementError `source_unreachable` or `too_large`. Another tenant's file is treated like one that does not
 * exist.
 */
export async function readUploadedFile(
  uploads: Uploads | undefined,
  owner: number,
  srcPath: string,
  maxBytes: number,
): Promise<Buffer> {
  const file = await openFile(uploads, owner, srcPath);
  if (file.size > maxBytes) {
    throw new ElementError('too_large', `the file is larger than ${maxBytes / 2 ** 20} MiB`, 'src_path');
  }
  return readFrom(file, 0, file.size);
}

/**
 * Opens an uploaded file for random access.
 *
 * @throws ElementError as `readUploadedFile` does, but a file of any size can be opened.
 */
export async function openUploadedFile(
  uploads: Uploads | undefined,
  owner: number,
  srcPath: string,
): Promise<OpenSource> {
  const file = await openFile(uploads, owner, srcPath);
  let bytesRead = 0;
  const fetchRange = (start: number, stop: number) => {
    bytesRead += stop - start;
    if (bytesRead > maxFileBytes) {
      throw new ElementError('too_large', `more than ${maxFileBytes / 2 ** 20} MiB had to be read`, 'src_path');
    }
    return readFrom(file, start, stop);
  };
  const first = await fetchRange(0, Math.min(file.size, blockBytes));
  const read = createBlockReader({
    size: file.size,
    first,
    fetchRange: async (start, stop) => fetchRange(start, stop),
  });
  return { size: file.size, isSeekable: true, read, bytesRead: () => bytesRead, close: async () => {} };
}

/** Bytes per read when a file is forwarded. */
const pieceBytes = 2 ** 20;

/**
 * Opens an uploaded file, or a part of it, to forward it.
 *
 * @throws ElementError as `readUploadedFile` does, but a file of any size can be opened.
 */
export async function streamUploadedFile(
  uploads: Uploads | undefined,
  owner: number,
  srcPath: string,
  asked: AskedPart,
): Promise<SourceStream> {
  const file = await openFile(uploads, owner, srcPath);
  const { size, checksum } = file;
  const tag = `"${checksum}"`;
  const part = rangeOf(asked.range, asked.condition, { length: size, tag });
  const { start, end } = part === null || part === 'unsatisfiable' ? { start: 0, end: size } : part;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; at += pieceBytes) yield await readFrom(file, at, Math.min(end, at + pieceBytes));
  }
  return { size, tag, part, hasParts: true, bytes, close: async () => {} };
}

async function openFile(uploads: Uploads | undefined, owner: number, srcPath: string): Promise<KeptFile> {
  const file = (await uploads?.open(owner, srcPath)) ?? null;
  if (file !== null) return file;
  throw unreachable('no such upload, or it has expired; upload the file again');
}

async function readFrom(file: KeptFile, start: number, end: number): Promise<Buffer> {
  return file.read(start, end).catch((error: Error) => {
    throw unreachable(error.message);
  });
}

function unreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src_path cannot be read: ${reason}`, 'src_path');
}
