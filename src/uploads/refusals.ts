import { AppError } from '../lib/errors.ts';
import { partBytes, unusedHours, uploadLimits } from './limits.ts';

/** More bytes than the client announced, or than a file may have. */
export function beyondLength(announced: number | null): AppError {
  if (announced !== null) return new AppError('too_large', `The file is larger than the announced ${announced} bytes`);
  const limit = uploadLimits.bytes;
  const hint = `Uploaded files can have at most ${limit / 2 ** 30} GiB; put larger ones below MEDIA_ROOTS`;
  return new AppError('too_large', `The file is larger than ${limit / 2 ** 30} GiB`, { limit, hint });
}

/** A file without bytes. */
export function empty(): AppError {
  return new AppError('invalid_argument', 'The file is empty', { argument: 'file', hint: 'Choose another file' });
}

/** A file that came in too many pieces. */
export function tooManyParts(): AppError {
  const hint = `Send pieces of ${partBytes / 2 ** 20} MiB or more`;
  return new AppError('too_large', `The file came in more than ${uploadLimits.parts} pieces`, { hint });
}

/** The tenant has reached its limits for files that no record uses yet. */
export function tenantFull(): AppError {
  const { unused, unusedBytes } = uploadLimits;
  return new AppError(
    'quota_exceeded',
    `The tenant has ${unused} uploaded files, or ${unusedBytes / 2 ** 30} GiB of them, that no record uses`,
    { hint: `Use them in writes; unused ones are removed after ${unusedHours} hours` },
  );
}

/** Bytes that do not continue where the received ones end. */
export function conflict(received: number): AppError {
  return new AppError('upload_conflict', `${received} bytes have arrived: resume from there`, {
    offset: received,
  });
}

/** The tenant has no such upload, or no longer. */
export function noSuchUpload(): AppError {
  return new AppError('not_found', 'No such upload', { hint: 'It may have expired: start a new one' });
}
