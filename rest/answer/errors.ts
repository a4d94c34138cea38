import type { ExecutionError } from '../../src/lib/http-api.ts';
import { sentArgument } from './places.ts';
import type { SentArgument, FailedRequest } from './places.ts';
import type { Reply } from '../../src/lib/http-contract.ts';

type Translation = (error: ExecutionError, requestId: string, reported: FailedRequest) => Reply;

/** Reports the message, the code and, if there is any, advice for the caller. */
const reported =
  (status: number, headers?: Reply['headers']): Translation =>
  ({ message, extensions }) => ({
    status,
    body: { detail: message, code: extensions?.['code'], hint: extensions?.['hint'] },
    ...(headers && { headers }),
  });

/** The HTTP reply to each error code of the schema. */
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
      // The position in the formula, if the formula is what needs the missing scope.
      ...(extensions?.['position'] !== undefined && { position: extensions['position'] }),
    },
  }),
  not_found: reported(404),
  too_large: reported(413),
  unsupported_media: reported(415),
  invalid_input_combination: ({ message }) => ({
    status: 400,
    body: { detail: message, code: 'invalid_input_combination', status: 400 },
  }),
  invalid_image: ({ message, extensions }, _, reported) => {
    const { loc } = sentArgument(String(extensions?.['argument']), reported);
    return problem({ loc, input: extensions?.['input'] }, String(extensions?.['type']), message);
  },
  provider_failed: reported(502),
  quota_exceeded: reported(507),
  upload_conflict: reported(409),
  rate_limited: reported(429), // Its headers were set when the request was refused.
  invalid_argument: ({ message, extensions }, _, reported) => {
    const hint = extensions?.['hint'];
    const context = hint === undefined ? undefined : { hint };
    return problem(sentArgument(String(extensions?.['argument'] ?? 'q'), reported), 'value_error', message, context);
  },
  invalid_formula: ({ extensions }, _, reported) => {
    const { type, msg, input, ctx } = extensions ?? {};
    return { status: 422, body: { detail: [{ type, loc: sentArgument('q', reported).loc, msg, input, ctx }] } };
  },
  sort_requires_similarity: ({ message, extensions }, _, reported) => {
    const { loc } = sentArgument('sortBy', reported);
    return problem({ loc, input: extensions?.['input'] }, 'sort_requires_similarity', message);
  },
  idempotency_key_reused: reported(422),
  precondition_failed: reported(412),
  idempotency_key_in_use: reported(409, { 'Retry-After': '1' }),
  page_too_deep: ({ message, extensions }, _, reported) => {
    const context = { max_depth: extensions?.['maxDepth'], hint: 'Use cursor' };
    return problem(sentArgument('page', reported), 'page_too_deep', message, context);
  },
  document_too_complex: reported(400),
  reply_too_large: reported(400),
  not_implemented: reported(501),
  timeout: reported(504),
  unavailable: reported(503, { 'Retry-After': '5' }),
};

/** Converts a failure to an HTTP reply. @param reported the request, whose invalid values are shown as they were sent. */
export function toReply(error: ExecutionError, requestId: string, reported: FailedRequest): Reply {
  const translation = translations[String(error.extensions?.['code'])];
  return translation?.(error, requestId, reported) ?? internalError(requestId);
}

function internalError(requestId: string): Reply {
  return { status: 500, body: { detail: 'Internal Server Error', request_id: requestId } };
}

function problem(
  { loc, input }: SentArgument,
  type: string,
  msg: string,
  ctx?: Readonly<Record<string, unknown>>,
): Reply {
  return { status: 422, body: { detail: [{ type, loc, msg, input: input ?? null, ...(ctx && { ctx }) }] } };
}
