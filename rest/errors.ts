import type { Reply } from './problems.ts';

/** An error as an execution of a document reports it. */
export type ExecutionError = Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> | undefined }>;

type Translation = (error: ExecutionError, requestId: string) => Reply;

const plain =
  (status: number): Translation =>
  ({ message, extensions }) => ({
    status,
    body: { detail: message, code: extensions?.['code'] },
  });

/** What each code of the schema is over HTTP. */
const translations: Readonly<Record<string, Translation>> = {
  unauthenticated: () => ({
    status: 401,
    body: { detail: 'Not authenticated' },
    headers: { 'WWW-Authenticate': 'APIKey' },
  }),
  invalid_key: () => ({
    status: 401,
    body: { detail: 'Invalid API key' },
    headers: { 'WWW-Authenticate': 'APIKey' },
  }),
  forbidden: ({ message, extensions }) => ({
    status: 403,
    body: {
      detail: message,
      code: 'forbidden',
      required_scope: extensions?.['requiredScope'],
      // Where in the formula, if it is the formula that asks for too much.
      ...(extensions?.['position'] !== undefined && { position: extensions['position'] }),
    },
  }),
  not_found: plain(404),
  too_large: plain(413),
  invalid_argument: ({ message, extensions }) =>
    queryProblem(String(extensions?.['argument'] ?? 'q'), 'value_error', message),
  invalid_formula: ({ extensions }) => {
    const { type, loc, msg, input, ctx } = extensions ?? {};
    return { status: 422, body: { detail: [{ type, loc, msg, input, ctx }] } };
  },
  sort_requires_similarity: ({ message, extensions }) =>
    queryProblem('sort_by', 'sort_requires_similarity', message, undefined, extensions?.['input']),
  page_too_deep: ({ message, extensions }) =>
    queryProblem('page', 'page_too_deep', message, { max_depth: extensions?.['maxDepth'], hint: 'Use cursor' }),
  not_implemented: plain(501),
  unavailable: (error) => ({ ...plain(503)(error, ''), headers: { 'Retry-After': '5' } }),
};

export function toReply(error: ExecutionError, requestId: string): Reply {
  const translation = translations[String(error.extensions?.['code'])];
  return translation?.(error, requestId) ?? internalError(requestId);
}

export function internalError(requestId: string): Reply {
  return { status: 500, body: { detail: 'Internal Server Error', request_id: requestId } };
}

function queryProblem(
  argument: string,
  type: string,
  msg: string,
  ctx?: Record<string, unknown>,
  input: unknown = null,
): Reply {
  return { status: 422, body: { detail: [{ type, loc: ['query', argument], msg, input, ...(ctx && { ctx }) }] } };
}
