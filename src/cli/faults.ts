import { connectionFault, isUnavailable } from '../backing/index.ts';
import { AppError, ElementError, SetupError } from '../lib/errors.ts';
import { readConfig } from '../config/config.ts';
import { refusalInWords, refusalRemedy } from '../lib/system-refusals.ts';

/** The system's error codes for a disk that can no longer be written. */
const diskFaults: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EIO']);
const ownersHint = 'Run this command with the DATABASE_URL of the owner of the tables; see docs/run.md.';

/** The message for a failure that users can fix; null for a bug. */
export function faultInWords(error: unknown): string | null {
  if (error instanceof AppError && error.code === 'invalid_formula') return pointedAt(error);
  if (error instanceof AppError) return withHint(error);
  if (error instanceof SetupError || error instanceof ElementError) return error.message;
  if (!(error instanceof Error)) return null;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') return 'The output was closed.';
  if (code === '42501') return `The user of DATABASE_URL is not allowed to do this: ${error.message}.\n${ownersHint}`;
  // An error with a cause comes from some other failed connection, not from the database.
  if (path === undefined && error.cause === undefined && isUnavailable(error)) return connectionFault(error);
  const refusal = refusalInWords(error);
  // For open files and standard output, the system does not report the path.
  if (syscall === 'write' && path === undefined && diskFaults.has(code))
    return `The output cannot be written: ${refusal}.`;
  return refusal === null || path === undefined
    ? null
    : `Cannot use ${path}: ${refusal}.\n${refusalRemedy(error)}`.trimEnd();
}

/** The last message of a failed command: one sentence, or the stack of a bug if LOG_LEVEL is debug or trace. */
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
  if (typeof hint !== 'string') return message;
  return /[.?!]$/.test(hint) ? `${message}\n${hint}` : `${message}\n${hint}.`;
}

/** An error in a formula, with a line that points to its position. */
function pointedAt({ message, details }: AppError): string {
  const { hint, pointer } = details['ctx'] as { hint: string; pointer: string };
  return `${message}\n\n${pointer}\n\n${hint}`;
}
