import type { GraphQLResolveInfo } from 'graphql';
import { AppError } from '../../../lib/errors.ts';
import { trimEndWhere } from '../../../lib/trim.ts';
import type { IdempotencyKey } from '../../../operations/index.ts';
import type { Context } from '../context.ts';

const header = 'Idempotency-Key';

/**
 * The context of a write. For every write of a document but the first, the idempotency key in the header is combined
 * with the write's name.
 */
export function withLaterWrite(context: Context, { operation, path }: GraphQLResolveInfo): Context {
  const [first, ...others] = operation.selectionSet.selections;
  if (others.length === 0 && first?.kind === 'Field') return context;
  const isFirst = first?.kind === 'Field' && (first.alias ?? first.name).value === path.key;
  if (isFirst) return context;
  const { laterWrite: document } = context;
  const name = String(path.key);
  return { ...context, laterWrite: document === undefined ? name : `${document} › ${name}` };
}

/**
 * Returns the idempotency key of a write: the argument, or the header, which then applies to every write of the document.
 *
 * @throws AppError `invalid_argument` for an invalid key.
 */
export function idempotencyKeyOf(
  argument: string | null | undefined,
  { request, laterWrite }: Context,
): IdempotencyKey | null {
  const key = argument ?? (request.header('idempotency-key') || null);
  if (key === null) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    const message = `${header} must have 1 to 255 printable ASCII characters`;
    throw new AppError('invalid_argument', message, { argument: header });
  }
  // The separator cannot occur in a key that a client sends.
  const own = argument === key || laterWrite === undefined ? key : `${key} › ${laterWrite}`;
  return { key: own, route: routeOf(request) };
}

/** Returns method and path in a normalized spelling; GraphQL is one route, however a document arrives. */
function routeOf({ method, target }: Context['request']): string {
  const literal = trimEndWhere(target.split('?', 1)[0] ?? '', (character) => character === '/') || '/';
  const path = literal.split('/').map(spelled).join('/');
  return path === '/graphql' ? 'GraphQL' : `${method} ${path}`;
}

/** Decodes a path segment; an encoded slash remains distinct from those between segments. */
function spelled(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('/', '%2F');
  } catch {
    return part;
  }
}
