import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { holdsNul, isOverdue, isUnavailable, replyTooLarge } from '../../backing/index.ts';
import { AppError, isClientGone } from '../../lib/errors.ts';
import type { ErrorDetails } from '../../lib/errors.ts';
import { excerpt, excerptOfEnds, excerptOfValue } from '../../lib/excerpt.ts';
import { ReplyError } from '../../lib/http-contract.ts';
import { isLongerThan } from '../../lib/json-pieces.ts';
import type { Services } from './context.ts';
import { maxErrors, maxTextLength } from '../server/limits.ts';

type Logging = Pick<Services, 'database' | 'logger'>;
type Shown = Readonly<{ message: string; extensions: Readonly<Record<string, unknown>> }>;

/**
 * Converts an error to what a client may see: its own mistakes with their code; anything else only as an id that is also in
 * the log.
 */
export function toClientError(error: unknown, services: Logging, requestId: string): GraphQLError {
  const cause = originOf(error);
  // The compiled executor's own errors have no extensions, whatever the type says.
  if (cause instanceof GraphQLError) return cause.extensions?.['code'] === undefined ? coded(cause) : cause;
  const { message, extensions } =
    mistakeOf(cause) ??
    outageOf(cause, services, requestId) ??
    interruptionOf(cause, services, requestId) ??
    unexpected(cause, services, requestId);
  const place = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {};
  return new GraphQLError(message, { ...place, extensions });
}

/** What a client may see of its own mistake; null for other errors. */
function mistakeOf(cause: unknown): Shown | null {
  if (cause instanceof AppError) {
    // The code that throws it should truncate what it repeats; this is a second check.
    const details = excerptOfValue(cause.details, maxTextLength) as ErrorDetails;
    return { message: excerpt(cause.message, maxTextLength), extensions: { code: cause.code, ...details } };
  }
  if (!holdsNul(cause)) return null;
  return {
    message: 'A text contains the character U+0000, which cannot be stored',
    extensions: { code: 'invalid_argument', hint: 'Remove it' },
  };
}

/** What a client may see if the database is unavailable or too slow; null for other errors. */
function outageOf(cause: unknown, { database, logger }: Logging, requestId: string): Shown | null {
  const isDown = isUnavailable(cause);
  if (!isDown && !isOverdue(cause)) return null;
  if (isDown) database.outage.meet(cause);
  logger[isDown ? 'debug' : 'warn'](
    { requestId, error: String(cause) },
    'a request failed because the database is unavailable',
  );
  const { message, hint } = isDown ? unavailable : overdue;
  return { message, extensions: { code: 'unavailable', requestId, hint } };
}

/** What a client may see if it disconnected or its body did not arrive; null for other errors. */
function interruptionOf(cause: unknown, { logger }: Logging, requestId: string): Shown | null {
  if (isClientGone(cause)) {
    logger.debug({ requestId }, 'a client disconnected before its reply');
    return { message: 'The client has disconnected', extensions: { code: 'unavailable', requestId } };
  }
  // A body that is read while its document runs; whoever read it answers with the reply itself.
  if (!(cause instanceof ReplyError)) return null;
  logger.debug({ requestId, status: cause.reply.status }, 'a body did not arrive');
  return { message: 'The body did not arrive', extensions: { code: 'invalid_argument', requestId } };
}

function unexpected(cause: unknown, { logger }: Logging, requestId: string): Shown {
  logger.error({ requestId, error: cause instanceof Error ? cause.stack : String(cause) }, 'a request failed');
  return { message: 'Internal Server Error', extensions: { code: 'internal', requestId } };
}

const unavailable = { message: 'The database is unavailable', hint: 'Try again in a few seconds' };
const overdue = { message: 'The request took too long', hint: 'Request less at once' };

/**
 * Returns the result, or an error in its place if it has more characters: a partial result could be mistaken for the
 * whole.
 */
export function withinLength(result: ExecutionResult, characters: number): ExecutionResult {
  if (!isLongerThan(result.data, characters)) return result;
  const { message, code, details } = replyTooLarge(characters);
  return { data: null, errors: [new GraphQLError(message, { extensions: { code, ...details } })] };
}

/**
 * Converts the errors of a result to what a client may see. If too many to list, the result contains the number of
 * the rest.
 */
export function withClientErrors(result: ExecutionResult, services: Logging, requestId: string): ExecutionResult {
  const { errors } = result;
  if (errors === undefined) return result;
  const listed = errors.slice(0, maxErrors).map((error) => toClientError(error, services, requestId));
  if (errors.length <= maxErrors) return { ...result, errors: listed };
  return { ...result, errors: listed, extensions: { errorsNotListed: errors.length - maxErrors } };
}

function originOf(error: unknown): unknown {
  const inner = (error as { originalError?: unknown } | null)?.originalError;
  return inner === undefined || inner === null ? error : originOf(inner);
}

/** Adds a code to errors that the GraphQL libraries found themselves; Yoga's extensions contain the HTTP status. */
function coded(error: GraphQLError): GraphQLError {
  return withCode(error, 'invalid_argument');
}

/** Returns an error with the given code and a message of bounded length. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  const extensions = { ...error.extensions, code };
  return new GraphQLError(excerptOfEnds(message), { nodes, source, positions, path, extensions });
}
