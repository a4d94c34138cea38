import type { elementErrorCodes, errorCodes, formulaErrorCodes } from './generated/tables.ts';
import type { components } from './generated/rest.ts';

/** Why a request failed, according to the service; `connection_failed` if there was no reply. */
export type ErrorCode = (typeof errorCodes)[number] | 'connection_failed';
/** Why one element of a write failed. */
export type ElementErrorCode = (typeof elementErrorCodes)[number];
/** What is wrong with a formula. */
export type FormulaErrorCode = (typeof formulaErrorCodes)[number];

type Schemas = components['schemas'];

/** A mistake in a formula, and what to write there. */
export type FormulaMistake = Readonly<{
  code: FormulaErrorCode;
  message: string;
  /** In code points. */
  position: number;
  length: number;
  hint: string;
  /** The formula with a mark below the mistake, for a monospaced font. */
  pointer: string;
}>;

type Problem = Partial<Schemas['Problem']> & Readonly<Record<string, unknown>>;

/** A request that the service refused, or that did not reach it. */
export class VitrineError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'VitrineError';
  readonly code: Code;
  /** The status of the reply; 0 if there was none. */
  readonly status: number;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which the request may be sent again. */
  readonly retryAfter: number | undefined;
  /** Every invalid field. */
  readonly errors: readonly Schemas['ValidationError'][];
  /** The mistake, if a formula is wrong. */
  readonly formula: FormulaMistake | undefined;
  /** The whole error as the service wrote it. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, { status = 0, retryAfter, details = {}, cause }: ErrorFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
    const { hint, request_id: requestId, errors } = details as Problem;
    this.errors = errors ?? [];
    this.formula = mistakeIn(this.errors);
    this.hint = typeof hint === 'string' ? hint : this.formula?.hint;
    this.requestId = requestId;
  }
}

type ErrorFacts = Readonly<{
  status?: number;
  retryAfter?: number | undefined;
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}>;

/** Whether an error is a VitrineError with one of these codes: `isCode(error, 'rate_limited')`. */
export function isCode<Code extends ErrorCode>(error: unknown, ...codes: Code[]): error is VitrineError<Code> {
  return error instanceof VitrineError && (codes as string[]).includes(error.code);
}

/** Codes for statuses of replies that contain none. */
const codesOfStatuses: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_argument',
  403: 'forbidden',
  404: 'not_found',
  405: 'invalid_argument',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported_media',
  422: 'validation_error',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};

/** The error for a reply with a status of 400 or more. */
export async function errorOfReply(reply: Response): Promise<VitrineError> {
  const details = await problemOf(reply);
  const { code, detail, errors } = details as Problem;
  const isFormula = errors?.[0]?.type.startsWith('formula.') === true;
  const said = isFormula ? 'invalid_formula' : (code as ErrorCode | undefined);
  const message = typeof detail === 'string' ? detail : `The service answered ${reply.status}`;
  return new VitrineError(said ?? codeOfStatus(reply.status, message), message, {
    status: reply.status,
    retryAfter: retryAfterOf(reply),
    details: { request_id: reply.headers.get('x-request-id') ?? undefined, ...details },
  });
}

function codeOfStatus(status: number, message: string): ErrorCode {
  if (status === 401) return message === 'Not authenticated' ? 'unauthenticated' : 'invalid_key';
  return codesOfStatuses[status] ?? 'internal';
}

async function problemOf(reply: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await reply.json();
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Seconds of `Retry-After`, which may also be a date. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const said = headers.get('retry-after');
  if (said === null) return undefined;
  const seconds = Number(said);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(said);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

function mistakeIn(errors: readonly Schemas['ValidationError'][]): FormulaMistake | undefined {
  const [first] = errors;
  if (first === undefined || !first.type.startsWith('formula.')) return undefined;
  const { position, length, hint, pointer } = (first.ctx ?? {}) as Partial<FormulaMistake>;
  const code = first.type.slice('formula.'.length) as FormulaErrorCode;
  return {
    code,
    message: first.msg,
    position: position ?? 0,
    length: length ?? 0,
    hint: hint ?? '',
    pointer: pointer ?? '',
  };
}

/** An operation that ended with failed elements, or was aborted. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed';
  /** The finished operation. */
  readonly operation: Schemas['Operation_Out'];
  /** The elements that failed. */
  readonly errors: readonly (Omit<Schemas['OpError'], 'code'> & Readonly<{ code: ElementErrorCode }>)[];

  constructor(operation: Schemas['Operation_Out']) {
    const [first] = operation.errors;
    const why = operation.is_aborted
      ? 'was aborted'
      : `has ${operation.num_bad} of ${operation.num_total} elements failed`;
    super(`Operation ${operation.operation_id} ${why}${first === undefined ? '' : `: ${first.msg}`}`);
    this.operation = operation;
    this.errors = operation.errors as OperationFailed['errors'];
  }
}
