import { GraphQLError } from 'graphql';
import { Upload } from 'graphql-upload-ts';
import { AppError } from '../../lib/errors.ts';
import { builder } from './builder.ts';
import type { ArrivingFile, UploadValue } from './upload-value.ts';

/** Maximum size of an uploaded file. */
export const maxUploadBytes = 25 * 2 ** 20;

builder.scalarType('Upload', {
  description: 'A file by the GraphQL multipart request specification: at most 25 MiB.',
  serialize() {
    throw new GraphQLError('Upload is never a result');
  },
  parseValue(value) {
    if (value instanceof Upload) return value;
    const { bytes, pieces } = (value ?? {}) as Partial<{ bytes: Buffer; pieces: object }>;
    if (Buffer.isBuffer(bytes) || (pieces !== undefined && Symbol.asyncIterator in pieces)) return value as UploadValue;
    throw new GraphQLError('Upload must be a file of a multipart request');
  },
  parseLiteral() {
    throw new GraphQLError('Upload must be a variable');
  },
});

/**
 * Returns the bytes of the file of an argument once all of them have arrived.
 *
 * @throws AppError `too_large`, or `invalid_argument` for a file that was announced but not sent.
 */
export async function readUpload(upload: UploadValue, argument: string): Promise<Buffer> {
  if ('bytes' in upload) return upload.bytes;
  const pieces: Buffer[] = [];
  for await (const piece of (await openUpload(upload, argument)).pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Opens the file of an argument as it arrives. @throws AppError as `readUpload` does, also while its pieces are read. */
export async function openUpload(upload: UploadValue, argument: string): Promise<ArrivingFile> {
  if ('pieces' in upload) return upload;
  if ('bytes' in upload) return { name: upload.name, length: upload.bytes.length, pieces: only(upload.bytes) };
  const file = await upload.promise.catch((error: unknown) => {
    throw uploadFault(error, argument);
  });
  const { filename: name, mimetype: mediaType } = file;
  const stream = file.createReadStream();
  stream.on('error', () => {}); // Its reader begins later, and then receives the error.
  return { name, mediaType, length: null, pieces: piecesOf(stream, argument) };
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* piecesOf(stream: AsyncIterable<Buffer>, argument: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw uploadFault(error, argument);
  }
}

/** Converts an error of the upload library by its status. */
function uploadFault(error: unknown, argument: string): AppError {
  const { status, message = '' } = error as Partial<Error & { status: number }>;
  if (status === 413) return new AppError('too_large', `The file is larger than ${maxUploadBytes / 2 ** 20} MiB`);
  const hint = 'Send every file of the map completely';
  return new AppError('invalid_argument', `The file did not arrive: ${message}`, {
    argument,
    hint,
  });
}
