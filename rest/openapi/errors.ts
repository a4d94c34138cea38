import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Json } from './json-object.ts';

type ErrorReply = Readonly<{
  status: number;
  /** Its name among the document's `responses`. */
  name: string;
  description: string;
  /** `ErrorResponse` by default. */
  schema?: string;
  headers?: readonly string[];
  /** The endpoints that can reply with it; all by default. */
  when?: (endpoint: Endpoint) => boolean;
}>;

const isTag = ({ path }: Endpoint) => path === '/tag/image';
const isUpload = ({ body }: Endpoint) => body?.kind === 'form';
const hasBody = ({ body }: Endpoint) => body !== undefined;
/** Whether its reply may be large because it reads as many records as the caller asks for. */
const readsMany = ({ method, parameters }: Endpoint) =>
  method === 'GET' && parameters.some(({ name }) => name === 'limit' || name === 'fields');
const takesFormula = ({ parameters, body }: Endpoint) =>
  parameters.some(({ name }) => name === 'q') ||
  (body?.kind === 'json' && body.type.kind === 'object' && body.type.fields.some(({ name }) => name === 'q'));
const takesKey = ({ parameters }: Endpoint) => parameters.some(({ name }) => name === 'Idempotency-Key');

/** Every error reply. Each is documented at the endpoints where it can occur. */
export const errorReplies: readonly ErrorReply[] = [
  {
    status: 400,
    name: 'UnreadableBody',
    description: 'The body cannot be parsed: it is not UTF-8, is nested too deep, or is not a multipart form.',
    when: (endpoint) => hasBody(endpoint) && !isTag(endpoint),
  },
  {
    status: 400,
    name: 'InvalidCombination',
    description: 'Both or neither of `image` and `image_url` were sent, or the form cannot be read.',
    schema: 'TagErrorResponse',
    when: isTag,
  },
  {
    status: 400,
    name: 'ReplyTooLarge',
    description: 'The reply would be too large, or takes too much to compute: request fewer records or fields.',
    when: readsMany,
  },
  {
    status: 401,
    name: 'Unauthorized',
    description: 'No API key was sent, or it is wrong, expired or revoked.',
    headers: ['WWW-Authenticate'],
  },
  {
    status: 403,
    name: 'Forbidden',
    description: 'The key lacks the required scope.',
  },
  {
    status: 404,
    name: 'NotFound',
    description: 'The record or the path does not exist.',
    when: ({ path, parameters }) => path.includes('{') || parameters.some(({ name }) => name === 'op_id'),
  },
  {
    status: 409,
    name: 'KeyInUse',
    description: 'The first request with this `Idempotency-Key` has not been answered yet.',
    headers: ['Retry-After'],
    when: takesKey,
  },
  {
    status: 412,
    name: 'PreconditionFailed',
    description: 'The record does not meet `If-Match` or `If-None-Match`; nothing is written.',
    when: ({ parameters }) => parameters.some(({ name }) => name === 'If-Match'),
  },
  {
    status: 413,
    name: 'TooLarge',
    description: 'The body is larger than 32 MiB, or an upload larger than 25 MiB.',
    when: hasBody,
  },
  {
    status: 415,
    name: 'UnsupportedMedia',
    description:
      'The picture, judged by its content, has an unsupported type, or the body has a `Content-Encoding` other than ' +
      'gzip or deflate.',
    when: isUpload,
  },
  {
    status: 415,
    name: 'UnsupportedCoding',
    description: 'The body has a `Content-Encoding` other than gzip or deflate.',
    when: (endpoint) => hasBody(endpoint) && !isUpload(endpoint),
  },
  {
    status: 422,
    name: 'ValidationFailed',
    description: 'Parameters or body are invalid; all errors are listed.',
    schema: 'HTTPValidationError',
    when: (endpoint) => !takesKey(endpoint) && (endpoint.parameters.length > 0 || hasBody(endpoint)),
  },
  {
    status: 422,
    name: 'WriteRefused',
    description: 'Parameters or body are invalid, or the `Idempotency-Key` was used for another request.',
    schema: 'WriteRefusal',
    when: takesKey,
  },
  {
    status: 429,
    name: 'RateLimited',
    description: 'Too many requests with this key; only if rate limits are configured.',
    headers: ['Retry-After', 'RateLimit'],
  },
  {
    status: 500,
    name: 'InternalError',
    description: 'An internal error, logged with `request_id`.',
  },
  {
    status: 501,
    name: 'NotImplemented',
    description: 'This process does not compare or analyze pictures, or accepts no uploads.',
    when: (endpoint) => takesFormula(endpoint) || isUpload(endpoint),
  },
  {
    status: 502,
    name: 'ProviderFailed',
    description: 'The AI provider failed.',
    when: isTag,
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'A backing service is unavailable.',
    headers: ['Retry-After'],
  },
  {
    status: 507,
    name: 'QuotaExceeded',
    description: 'The tenant has reached its limit of uploads or webhooks.',
    when: ({ document }) => document === 'upload-source' || document === 'add-webhook',
  },
  {
    status: 504,
    name: 'TimedOut',
    description: 'The request timed out: 60 seconds to read or tag, 150 to write, 15 for pictures in a formula.',
  },
];

const text = (description: string): Json => ({ type: 'string', description });

/** Schemas of error bodies; the contract defines the names `HTTPValidationError` and `TagErrorResponse`. */
export const errorSchemas: Readonly<Record<string, Json>> = {
  ErrorResponse: {
    type: 'object',
    description: 'Why a request failed.',
    required: ['detail'],
    properties: {
      detail: text('Message.'),
      code: text('Error code.'),
      hint: text('How to fix it.'),
      required_scope: text('With 403: the required scope.'),
      position: {
        type: 'integer',
        description: 'With 403: position in the formula, in code points, if the formula needs the scope.',
      },
      status: { type: 'integer', description: 'The status of the reply, if present.' },
      request_id: text('With 500: the request id in the log.'),
    },
  },
  TagErrorResponse: {
    type: 'object',
    description: 'An invalid combination of inputs.',
    required: ['detail'],
    properties: {
      detail: text('Message.'),
      code: text('Error code.'),
      status: { type: 'integer', description: 'The status of the reply.' },
    },
  },
  WriteRefusal: {
    description: 'All errors of a write, or the error of its `Idempotency-Key`.',
    anyOf: [{ $ref: '#/components/schemas/HTTPValidationError' }, { $ref: '#/components/schemas/ErrorResponse' }],
  },
  HTTPValidationError: {
    type: 'object',
    description: 'All errors of a request: path, query and body, in this order.',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'The first hundred errors.',
      },
      omitted: { type: 'integer', description: 'Number of errors that are not listed; absent if all are listed.' },
    },
  },
  ValidationError: {
    type: 'object',
    description: 'One error of a request.',
    required: ['type', 'loc', 'msg', 'input'],
    properties: {
      type: text('Type of the error.'),
      loc: {
        type: 'array',
        items: { type: 'string' },
        description: 'Location: path, query or body, then names and indexes.',
      },
      msg: text('Message of the error.'),
      input: { description: 'The value that was sent.' },
      ctx: { type: 'object', description: 'Bounds, expected values and the like.' },
    },
  },
  Problem: {
    type: 'object',
    description: 'Any of these errors for `Accept: application/problem+json` (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'request_id'],
    properties: {
      type: text('Type of the problem.'),
      title: text('The name of the status.'),
      status: { type: 'integer', description: 'The status of the reply.' },
      detail: text('Message.'),
      instance: text('Path and query of the request.'),
      request_id: text('The id of the request.'),
      code: text('Error code.'),
      hint: text('How to fix it.'),
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'With 422: every error.',
      },
    },
    additionalProperties: true,
  },
};
