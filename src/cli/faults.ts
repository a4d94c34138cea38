import { AppError, SetupError } from '../errors.ts';

/** What the system says of files and folders, in words; other codes are shown as they are. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not',
  EPERM: 'this account may not',
  EROFS: 'it cannot be written to',
  ENOSPC: 'the disk is full',
};

/** What a person is told of a failure that they can mend; null for a fault of the program, which takes its stack. */
export function faultInWords(error: unknown): string | null {
  if (error instanceof SetupError || error instanceof AppError) return error.message;
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') return 'Whoever read the output has gone.';
  if (code === undefined || (path === undefined && reasons[code] === undefined)) return null;
  return `Cannot use ${path ?? 'a file'}: ${reasons[code] ?? code}.`;
}
