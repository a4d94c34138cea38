import { describe, expect, it } from 'vitest';
import { AppError, ElementError, SetupError, elementErrorCodes, errorCodes } from '../../src/lib/errors.ts';

describe('the codes of errors', () => {
  it('of elements are those of the contract', () => {
    expect(elementErrorCodes).toEqual([
      'already_exists',
      'not_found',
      'invalid_field',
      'source_conflict',
      'source_missing',
      'source_unreachable',
      'source_forbidden',
      'unsupported_media',
      'too_large',
      'decode_failed',
      'duplicate_in_batch',
      'duplicate_image',
      'precondition_failed',
      'conflict',
      'aborted',
      'strict_rollback',
      'internal',
    ]);
  });

  it('of requests are each listed once', () => {
    expect(errorCodes.length).toBe(new Set(errorCodes).size);
  });
});

describe('an error', () => {
  it('of an element has a code, a message, and a field where one is at fault', () => {
    const error = new ElementError('invalid_field', 'title is too long', 'title');
    expect([error.name, error.code, error.message, error.field]).toEqual([
      'ElementError',
      'invalid_field',
      'title is too long',
      'title',
    ]);
    expect(new ElementError('internal', 'x').field).toBeNull();
  });

  it('of a request has a code, a message and details that may be empty', () => {
    const error = new AppError('page_too_deep', 'too deep', { maxDepth: 5 });
    expect([error.name, error.code, error.message, error.details]).toEqual([
      'AppError',
      'page_too_deep',
      'too deep',
      { maxDepth: 5 },
    ]);
    expect(new AppError('forbidden', 'x').details).toEqual({});
  });

  it('of one kind is not taken for one of another', () => {
    const errors = [new ElementError('internal', 'x'), new AppError('forbidden', 'x'), new SetupError('x')];
    expect(errors.map((error) => error instanceof ElementError)).toEqual([true, false, false]);
    expect(errors.map((error) => error instanceof AppError)).toEqual([false, true, false]);
    expect(errors.map((error) => error instanceof SetupError)).toEqual([false, false, true]);
    expect(errors.map((error) => error instanceof Error)).toEqual([true, true, true]);
  });
});
