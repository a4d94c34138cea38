import type { Reply } from '../../lib/http-contract.ts';
import { prefersProblem } from './problem-details.ts';

/**
 * The media types of GraphQL over HTTP: the newer one, whose status shows whether anything was executed, and the older one.
 */
export const modernType = 'application/graphql-response+json';
export const olderType = 'application/json';

export type GraphQLType = typeof modernType | typeof olderType;

/** An error as GraphQL clients receive it. */
type RefusalError = Readonly<{ message: string; extensions: Readonly<Record<string, unknown>> }>;

/** HTTP status for each error code, if nothing was executed. */
const statuses: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  document_too_complex: 400,
  unauthenticated: 401,
  invalid_key: 401,
  forbidden: 403,
  not_found: 404,
  not_acceptable: 406,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  upload_conflict: 409,
  quota_exceeded: 507,
  not_implemented: 501,
  unavailable: 503,
  timeout: 504,
};

/** Additional headers for a status. */
const headersOf: Readonly<Record<number, Reply['headers']>> = {
  401: { 'WWW-Authenticate': 'APIKey' },
  503: { 'Retry-After': '5' },
};

/** Error codes for statuses that have no code at other paths. */
const codes: Readonly<Record<number, string>> = { 500: 'internal' };

/** The status for an error code, for replies without a document that could contain the code. */
export function statusOfCode(code: string): number {
  return statuses[code] ?? 500;
}

/** Refuses a request before anything is executed. */
export function graphqlRefusal({ message, extensions }: RefusalError): Reply {
  const status = statusOfCode(String(extensions['code']));
  const headers = headersOf[status];
  return { status, body: { errors: [{ message, extensions }] }, ...(headers && { headers }) };
}

/**
 * Media type and body of a refusal at /graphql, wherever it was refused; null if the client asks for problem details and for
 * no GraphQL type.
 */
export function asGraphQL(
  { status, body }: Reply,
  accept: string | undefined,
): Readonly<{ type: string; value: object }> | null {
  const type = graphqlTypeOf(accept);
  if (typeof body !== 'object' || body === null || (type === null && prefersProblem(accept))) return null;
  return { type: contentTypeOf(type ?? olderType), value: 'errors' in body ? body : withErrors(status, body) };
}

/** The `Content-Type` for a media type, with the encoding of the JSON. */
export function contentTypeOf(type: GraphQLType): string {
  return `${type}; charset=utf-8`;
}

/** Converts an error body of other paths, `{ detail, code, … }`, to a GraphQL error. */
function withErrors(status: number, body: object): object {
  const { detail, code, request_id: requestId, ...more } = body as Readonly<Record<string, unknown>>;
  const extensions = {
    code: code ?? codes[status] ?? 'invalid_argument',
    ...(requestId !== undefined && { requestId }),
  };
  return { errors: [{ message: String(detail), extensions: { ...extensions, ...more } }] };
}

/** The type that `Accept` prefers: by weight, then by order; null if it contains neither. */
export function graphqlTypeOf(accept: string | undefined): GraphQLType | null {
  if (accept === undefined || accept === '' || accept === '*/*') return olderType;
  if (accept === modernType || accept === olderType) return accept;
  let best: GraphQLType | null = null;
  let bestWeight = 0;
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const type = typesOf.get(name);
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (type !== undefined && weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

const typesOf: ReadonlyMap<string, GraphQLType> = new Map([
  [modernType, modernType],
  [olderType, olderType],
  ['application/*', olderType],
  ['*/*', olderType],
]);
