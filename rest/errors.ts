import type { Reply } from './problems.ts';

/** An error as an execution of a document reports it. */
export type ExecutionError = Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> | undefined }>;

type Translation = (error: ExecutionError, requestId: string, target: string) => Reply;

/** Message, code and, where there is one, what the caller can do about it. */
const told =
  (status: number, headers?: Reply['headers']): Translation =>
  ({ message, extensions }) => ({
    status,
    body: { detail: message, code: extensions?.['code'], hint: extensions?.['hint'] },
    ...(headers && { headers }),
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
  not_found: told(404),
  too_large: told(413),
  unsupported_media: told(415),
  invalid_input_combination: ({ message }) => ({
    status: 400,
    body: { detail: message, code: 'invalid_input_combination', status: 400 },
  }),
  invalid_image: ({ message, extensions }) =>
    problem(
      'body',
      String(extensions?.['argument']),
      String(extensions?.['type']),
      message,
      undefined,
      extensions?.['input'],
    ),
  provider_failed: told(502),
  rate_limited: told(429), // With headers that whoever refused has set.
  invalid_argument: ({ message, extensions }, _, target) => {
    const [place, name] = [String(extensions?.['place'] ?? 'query'), String(extensions?.['argument'] ?? 'q')];
    const hint = extensions?.['hint'];
    const context = hint === undefined ? undefined : { hint };
    return problem(place, name, 'value_error', message, context, place === 'query' ? sentAs(name, target) : null);
  },
  invalid_formula: ({ extensions }) => {
    const { type, loc, msg, input, ctx } = extensions ?? {};
    return { status: 422, body: { detail: [{ type, loc, msg, input, ctx }] } };
  },
  sort_requires_similarity: ({ message, extensions }) =>
    problem('query', 'sort_by', 'sort_requires_similarity', message, undefined, extensions?.['input']),
  idempotency_key_reused: told(422),
  idempotency_key_in_use: told(409, { 'Retry-After': '1' }),
  page_too_deep: ({ message, extensions }, _, target) => {
    const context = { max_depth: extensions?.['maxDepth'], hint: 'Use cursor' };
    return problem('query', 'page', 'page_too_deep', message, context, sentAs('page', target));
  },
  document_too_complex: told(400),
  reply_too_large: told(400),
  not_implemented: told(501),
  timeout: told(504),
  unavailable: told(503, { 'Retry-After': '5' }),
};

/** What a failure is over HTTP. @param target path and query as sent, whose faults are shown as they were written. */
export function toReply(error: ExecutionError, requestId: string, target: string): Reply {
  const translation = translations[String(error.extensions?.['code'])];
  return translation?.(error, requestId, target) ?? internalError(requestId);
}

/** The value of a parameter of the query as it was written; null where it was not. */
function sentAs(name: string, target: string): string | null {
  const mark = target.indexOf('?');
  return mark === -1 ? null : (new URLSearchParams(target.slice(mark)).getAll(name).at(-1) ?? null);
}

function internalError(requestId: string): Reply {
  return { status: 500, body: { detail: 'Internal Server Error', request_id: requestId } };
}

function problem(
  place: string,
  name: string,
  type: string,
  msg: string,
  ctx?: Record<string, unknown>,
  input: unknown = null,
): Reply {
  return { status: 422, body: { detail: [{ type, loc: [place, name], msg, input, ...(ctx && { ctx }) }] } };
}
