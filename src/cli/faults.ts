import { connectionFault, isUnavailable } from '../backing/index.ts';
import { AppError, ElementError, SetupError } from '../lib/errors.ts';
import { readConfig } from '../config/config.ts';

const ownersHint = 'Run this command with the DATABASE_URL of the owner of the tables; see docs/run.md.';

/** What the system says of files and folders, in words. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
};

/** Why the system refuses a file, in words or by its code; null for what is no refusal of the system. */
export function refusalInWords(error: unknown): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === undefined || syscall === undefined ? null : (reasons[code] ?? code);
}

/** The message for a failure that users can fix; null for a bug. */
export function faultInWords(error: unknown): string | null {
  if (error instanceof AppError && error.code === 'invalid_formula') return pointedAt(error);
  if (error instanceof AppError) return withHint(error);
  if (error instanceof SetupError || error instanceof ElementError) return error.message;
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') return 'The output was closed.';
  if (code === '42501') return `The user of DATABASE_URL is not allowed to do this: ${error.message}.\n${ownersHint}`;
  // With a cause it is a request of another kind that found nobody.
  if (path === undefined && error.cause === undefined && isUnavailable(error)) return connectionFault(error);
  const refusal = refusalInWords(error);
  return refusal === null || path === undefined ? null : `Cannot use ${path}: ${refusal}.`;
}

/** What ends a command: one sentence, and where a fault of the program comes from only for those who ask for it. */
export function lastWords(error: unknown): string {
  const words = faultInWords(error);
  if (words !== null) return words;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (isDebugging()) return stack ?? message;
  return `Unexpected error: ${message}\nThis is a bug in Vitrine. LOG_LEVEL=debug shows the stack.`;
}

function isDebugging(): boolean {
  try {
    return ['debug', 'trace'].includes(readConfig().logLevel);
  } catch {
    return false;
  }
}

function withHint({ message, details: { hint } }: AppError): string {
  return typeof hint === 'string' ? `${message}\n${hint}.` : message;
}

/** A mistake in a formula with the line that shows its place. */
function pointedAt({ message, details }: AppError): string {
  const { hint, pointer } = details['ctx'] as { hint: string; pointer: string };
  return `${message}\n\n${pointer}\n\n${hint}`;
}
