import { ElementError } from '../../lib/errors.ts';
import type { ChunkOutcome } from '../store/chunk-outcome.ts';
import type { Fault, PreparedChunk } from '../store/prepared-chunk.ts';

/** The outcome of a rollback: the actual failures, and every other element failed because of them. */
export function rolledBack(prepared: readonly PreparedChunk[], faults: readonly Fault[]): ChunkOutcome {
  const failed = new Set(faults.map(({ position }) => position));
  const error = new ElementError('strict_rollback', 'not stored, because another element failed');
  const others = prepared
    .flatMap(({ ready }) => ready)
    .filter(({ position }) => !failed.has(position))
    .map(({ position, write }) => ({ position, ref: write.id, error }));
  return { good: 0, created: 0, faults: [...faults, ...others], stored: [], met: [] };
}

/** Faults as the database stores them. */
export function errorsOf(faults: readonly Fault[]): readonly object[] {
  return faults.map(({ position, ref, error }) => ({
    position,
    ref: wellFormed(ref),
    code: error.code,
    field: error.field && wellFormed(error.field),
    message: wellFormed(error.message),
  }));
}

/** Error texts may contain the caller's input, and PostgreSQL accepts neither NUL nor unpaired surrogates. */
function wellFormed(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
