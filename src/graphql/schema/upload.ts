import { GraphQLError } from 'graphql';
import { Upload } from 'graphql-upload-ts';
import { AppError } from '../../lib/errors.ts';
import { builder } from './builder.ts';
import type { UploadValue } from './upload-value.ts';

/** Largest file that is taken. */
export const maxUploadBytes = 25 * 2 ** 20;

builder.scalarType('Upload', {
  description: 'A file by the GraphQL multipart request specification: at most 25 MiB.',
  serialize() {
    throw new GraphQLError('Upload is never a result');
  },
  parseValue(value) {
    if (value instanceof Upload) return value;
    if (Buffer.isBuffer((value as Partial<{ bytes: Buffer }> | null)?.bytes)) return value as UploadValue;
    throw new GraphQLError('Upload must be a file of a multipart request');
  },
  parseLiteral() {
    throw new GraphQLError('Upload must be a variable');
  },
});

/**
 * The bytes of a file, once all of them are there.
 *
 * @throws AppError `too_large`, or `invalid_argument` for one that was announced and not sent.
 */
export async function readUpload(upload: UploadValue): Promise<Buffer> {
  if (!(upload instanceof Upload)) return upload.bytes;
  const pieces: Buffer[] = [];
  try {
    const file = await upload.promise;
    for await (const piece of file.createReadStream() as AsyncIterable<Buffer>) pieces.push(piece);
  } catch (error) {
    throw uploadFault(error);
  }
  return Buffer.concat(pieces);
}

/** The library's errors carry a status. */
function uploadFault(error: unknown): AppError {
  const { status, message = '' } = error as Partial<Error & { status: number }>;
  if (status === 413) return new AppError('too_large', `The file is larger than ${maxUploadBytes / 2 ** 20} MiB`);
  const hint = 'Send every file of the map completely';
  return new AppError('invalid_argument', `The file did not arrive: ${message}`, {
    argument: 'image',
    hint,
  });
}
