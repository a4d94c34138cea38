import { GraphQLError } from 'graphql';
import { holdsNul, isOverdue, isUnavailable } from '../backing/index.ts';
import { AppError } from '../errors.ts';
import type { Services } from './context.ts';
import { maxMessageLength } from './limits.ts';

/**
 * What a client may see of an error: its own mistakes with their code; anything else only as an id
 * that the log has too.
 */
export function toClientError(
  error: unknown,
  { database, logger }: Pick<Services, 'database' | 'logger'>,
  requestId: string,
): GraphQLError {
  const cause = originOf(error);
  const place = error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {};
  if (cause instanceof AppError) {
    return new GraphQLError(cause.message, { ...place, extensions: { code: cause.code, ...cause.details } });
  }
  const isAway = isUnavailable(cause);
  if (isAway || isOverdue(cause)) {
    if (isAway) database.outage.meet(cause);
    logger[isAway ? 'debug' : 'warn']({ requestId, error: String(cause) }, 'the database did not serve a request');
    const { message, hint } = isAway ? away : overdue;
    return new GraphQLError(message, { ...place, extensions: { code: 'unavailable', requestId, hint } });
  }
  if (holdsNul(cause)) {
    return new GraphQLError('A text holds the character U+0000, which no text here has', {
      ...place,
      extensions: { code: 'invalid_argument', hint: 'Leave it out' },
    });
  }
  // The compiled executor's own errors have no extensions, whatever the type says.
  if (cause instanceof GraphQLError) return cause.extensions?.['code'] === undefined ? coded(cause) : cause;
  logger.error({ requestId, error: cause instanceof Error ? cause.stack : String(cause) }, 'a request failed');
  return new GraphQLError('Internal Server Error', { ...place, extensions: { code: 'internal', requestId } });
}

const away = { message: 'A service behind this one is away', hint: 'Try again in a few seconds' };
const overdue = { message: 'This took longer than a request may', hint: 'Ask for less at once' };

function originOf(error: unknown): unknown {
  const inner = (error as { originalError?: unknown } | null)?.originalError;
  return inner === undefined || inner === null ? error : originOf(inner);
}

/** Mistakes that the GraphQL libraries found themselves; Yoga's extensions hold the status to answer with. */
function coded(error: GraphQLError): GraphQLError {
  return withCode(error, 'invalid_argument');
}

/** A mistake with a code of its own, and a message of bounded length. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  const extensions = { ...error.extensions, code };
  return new GraphQLError(shortened(message), { nodes, source, positions, path, extensions });
}

function shortened(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)} …` : message;
}
