/**
 * The closed list of codes that a request can fail with. What each code means in a protocol is defined by that protocol's
 * interface: src/graphql/schema/errors.ts and rest/answer/errors.ts.
 */
export const errorCodes = [
  'unauthenticated',
  'invalid_key',
  'forbidden',
  'not_found',
  'invalid_argument',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'precondition_failed',
  'invalid_formula',
  'sort_requires_similarity',
  'page_too_deep',
  'too_large',
  'unsupported_media',
  'invalid_input_combination',
  'invalid_image',
  'provider_failed',
  'rate_limited',
  'quota_exceeded',
  'upload_conflict',
  'document_too_complex',
  'reply_too_large',
  'not_implemented',
  'unavailable',
  'timeout',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Codes of requests that are refused, or fail, before or outside of the schema. */
export const protocolErrorCodes = [
  'validation_error',
  'internal',
  'invalid_http',
  'expectation_failed',
  'not_acceptable',
  'too_many_streams',
  'too_many_operations',
] as const;

export type ProtocolErrorCode = (typeof protocolErrorCodes)[number];

/** The closed list of codes that a single element of a write can fail with. */
export const elementErrorCodes = [
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
] as const;

export type ElementErrorCode = (typeof elementErrorCodes)[number];

/** Extra facts about an error that a client can use; every value must be safe to show. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A failure that the caller of a request may see. Anything else is masked and logged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/**
 * The reason why work for a request ends early: the client no longer waits for the reply. This is not an error of the
 * service.
 */
export class ClientGone extends Error {
  constructor() {
    super('The client has disconnected');
    this.name = 'ClientGone';
  }
}

/** Whether work ended because its client disconnected; timers and streams wrap the reason of a signal in their own error. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error instanceof Error && isClientGone(error.cause));
}

/**
 * A failure of one element of a write; the other elements continue. It has no stack trace: a batch may have 10 000 of them.
 */
export class ElementError extends Error {
  readonly code: ElementErrorCode;
  /** The invalid field, if any. */
  readonly field: string | null;

  constructor(code: ElementErrorCode, message: string, field: string | null = null) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ElementError';
    this.code = code;
    this.field = field;
  }
}

/** A failure that a person at the command line can fix; shown without a stack trace. */
export class SetupError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SetupError';
  }
}
