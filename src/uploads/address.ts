import { AppError } from '../lib/errors.ts';
import { uploadLimits } from './limits.ts';

/** The prefix of the `src_path` of an uploaded file. */
const uploadScheme = 'upload://';

/** `upload://SHA-256`, followed by a slash and the name of the file, if it has one. */
const form = /^upload:\/\/([0-9a-f]{64})(?:\/[^/]*)?$/;

/** The `src_path` of a file: the checksum identifies it; the name is for people, formulas and file extensions. */
export function uploadPath(checksum: string, name: string | null): string {
  return `${uploadScheme}${checksum}${name === null ? '' : `/${name}`}`;
}

/** Whether a `src_path` is that of an uploaded file, well-formed or not. */
export function isUploadPath(srcPath: string): boolean {
  return srcPath.startsWith(uploadScheme);
}

/** The checksum in the `src_path` of an uploaded file; null if the path is malformed. */
export function checksumIn(srcPath: string): string | null {
  return form.exec(srcPath)?.[1] ?? null;
}

/**
 * The name that a file is stored under: only the last segment, because some clients send a whole path.
 *
 * @throws AppError `invalid_argument` for a name that cannot be stored.
 */
export function checkFileName(given: string | null | undefined): string | null {
  const name = given?.split(/[/\\]/).at(-1)?.trim() ?? '';
  if (name === '' || name === '.' || name === '..') return null;
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw invalidName('The file name must not contain control characters');
  }
  if ([...name].length > uploadLimits.nameCharacters) {
    throw invalidName(`The file name must have at most ${uploadLimits.nameCharacters} characters`);
  }
  return name;
}

/** The media type that the client declared. Nothing depends on it; the content decides. */
export function checkMediaType(given: string | null | undefined): string {
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(type) ? type : 'application/octet-stream';
}

function invalidName(message: string): AppError {
  return new AppError('invalid_argument', message, { argument: 'name', hint: 'Rename the file' });
}
