import type { Reply } from '../lib/http-contract.ts';
import { prefersProblem } from './problem-details.ts';

/** The types that GraphQL over HTTP answers in: the newer, which says by its status whether anything ran, and the older. */
export const modernType = 'application/graphql-response+json';
export const olderType = 'application/json';

export type GraphQLType = typeof modernType | typeof olderType;

/** What an error is to a client of GraphQL. */
export type RefusalError = Readonly<{ message: string; extensions: Readonly<Record<string, unknown>> }>;

/** What a request is refused with for each code, where nothing of it has run. */
const statuses: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  document_too_complex: 400,
  unauthenticated: 401,
  invalid_key: 401,
  forbidden: 403,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  unavailable: 503,
  timeout: 504,
};

/** Headers that go with a status. */
const headersOf: Readonly<Record<number, Reply['headers']>> = {
  401: { 'WWW-Authenticate': 'APIKey' },
  503: { 'Retry-After': '5' },
};

/** Codes of answers that have none at other paths. */
const codes: Readonly<Record<number, string>> = { 500: 'internal' };

/** Refuses a request before anything of it runs. */
export function graphqlRefusal({ message, extensions }: RefusalError): Reply {
  const status = statuses[String(extensions['code'])] ?? 500;
  const headers = headersOf[status];
  return { status, body: { errors: [{ message, extensions }] }, ...(headers && { headers }) };
}

/**
 * The type and the body in which a refusal of /graphql is sent, whoever refused it and in whatever words; null where the
 * client asks for problem details and for no type of GraphQL.
 */
export function asGraphQL(
  { status, body }: Reply,
  accept: string | undefined,
): Readonly<{ type: string; value: object }> | null {
  const type = graphqlTypeOf(accept);
  if (typeof body !== 'object' || body === null || (type === null && prefersProblem(accept))) return null;
  return { type: contentTypeOf(type ?? olderType), value: 'errors' in body ? body : withErrors(status, body) };
}

/** The header of a type: what JSON is encoded in is told in either. */
export function contentTypeOf(type: GraphQLType): string {
  return `${type}; charset=utf-8`;
}

/** Words of the other paths, `{ detail, code, … }`, as an error of GraphQL. */
function withErrors(status: number, body: object): object {
  const { detail, code, request_id: requestId, ...more } = body as Readonly<Record<string, unknown>>;
  const extensions = {
    code: code ?? codes[status] ?? 'invalid_argument',
    ...(requestId !== undefined && { requestId }),
  };
  return { errors: [{ message: String(detail), extensions: { ...extensions, ...more } }] };
}

/** Which of the two types `Accept` would rather have: by weight, then by order; null where it names neither. */
export function graphqlTypeOf(accept: string | undefined): GraphQLType | null {
  if (accept === undefined || accept === '' || accept === '*/*') return olderType;
  if (accept === modernType || accept === olderType) return accept;
  let best: GraphQLType | null = null;
  let bestWeight = 0;
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const type = typesOf[name];
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (type !== undefined && weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

const typesOf: Readonly<Record<string, GraphQLType>> = {
  [modernType]: modernType,
  [olderType]: olderType,
  'application/*': olderType,
  '*/*': olderType,
};
