import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Json } from './json-object.ts';

type ErrorReply = Readonly<{
  status: number;
  /** Its name among the responses of the document. */
  name: string;
  description: string;
  schema: string;
  headers?: readonly string[];
  when: (endpoint: Endpoint) => boolean;
}>;

const always = () => true;
const isTag = ({ path }: Endpoint) => path === '/tag/image';
const isUpload = ({ body }: Endpoint) => body?.kind === 'form';
const hasBody = ({ body }: Endpoint) => body !== undefined;
const takesKey = ({ parameters }: Endpoint) => parameters.some(({ name }) => name === 'Idempotency-Key');

/** Every error that an endpoint can answer with; each is documented at the endpoints it can happen at. */
export const errorReplies: readonly ErrorReply[] = [
  {
    status: 400,
    name: 'UnreadableBody',
    description: 'The body cannot be read at all: it is not UTF-8, is nested too deep, or is no multipart form.',
    schema: 'ErrorResponse',
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
    status: 401,
    name: 'Unauthorized',
    description: 'No API key was sent, or one that is wrong, expired or revoked.',
    schema: 'ErrorResponse',
    headers: ['WWW-Authenticate'],
    when: always,
  },
  {
    status: 403,
    name: 'Forbidden',
    description: 'The role of the key may not do this.',
    schema: 'ErrorResponse',
    when: always,
  },
  {
    status: 404,
    name: 'NotFound',
    description: 'There is no such record, or no such path.',
    schema: 'ErrorResponse',
    when: ({ path, parameters }) => path.includes('{') || parameters.some(({ name }) => name === 'op_id'),
  },
  {
    status: 409,
    name: 'KeyInUse',
    description: 'The first request with this `Idempotency-Key` has not been answered yet.',
    schema: 'ErrorResponse',
    headers: ['Retry-After'],
    when: takesKey,
  },
  {
    status: 412,
    name: 'PreconditionFailed',
    description: 'The record is not in the state that `If-Match` names; nothing is written.',
    schema: 'ErrorResponse',
    when: ({ parameters }) => parameters.some(({ name }) => name === 'If-Match'),
  },
  {
    status: 413,
    name: 'TooLarge',
    description: 'The body is larger than 32 MiB, an upload larger than 25 MiB.',
    schema: 'ErrorResponse',
    when: hasBody,
  },
  {
    status: 415,
    name: 'UnsupportedMedia',
    description: 'The picture is of a type that cannot be decoded; its content decides.',
    schema: 'ErrorResponse',
    when: isUpload,
  },
  {
    status: 422,
    name: 'ValidationFailed',
    description: 'Parameters or body are not what they should be; every fault is listed.',
    schema: 'HTTPValidationError',
    when: (endpoint) => !takesKey(endpoint) && (endpoint.parameters.length > 0 || hasBody(endpoint)),
  },
  {
    status: 422,
    name: 'WriteRefused',
    description:
      'Parameters or body are not what they should be; or the `Idempotency-Key` was sent with another request before.',
    schema: 'WriteRefusal',
    when: takesKey,
  },
  {
    status: 429,
    name: 'RateLimited',
    description: 'Too many requests with this key; only where limits are configured.',
    schema: 'ErrorResponse',
    headers: ['Retry-After', 'RateLimit'],
    when: always,
  },
  {
    status: 500,
    name: 'InternalError',
    description: 'A fault of the service, logged under `request_id`.',
    schema: 'ErrorResponse',
    when: always,
  },
  {
    status: 501,
    name: 'NotImplemented',
    description: 'The process that answers does not search by similarity.',
    schema: 'ErrorResponse',
    when: ({ document }) => document === 'list-images',
  },
  {
    status: 502,
    name: 'ProviderFailed',
    description: 'The AI provider failed.',
    schema: 'ErrorResponse',
    when: isTag,
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'A service behind this one does not answer.',
    schema: 'ErrorResponse',
    headers: ['Retry-After'],
    when: always,
  },
  {
    status: 504,
    name: 'TimedOut',
    description:
      'It took longer than a request may: 60 seconds to read or tag, 150 to write, 15 for pictures of a formula.',
    schema: 'ErrorResponse',
    when: always,
  },
];

const text = (description: string): Json => ({ type: 'string', description });

/** Bodies of errors; `HTTPValidationError` and `TagErrorResponse` are names of the contract. */
export const errorSchemas: Readonly<Record<string, Json>> = {
  ErrorResponse: {
    type: 'object',
    description: 'Why a request failed.',
    required: ['detail'],
    properties: {
      detail: text('The reason, for people.'),
      code: text('The reason, for programs.'),
      hint: text('What can be done about it.'),
      required_scope: text('With 403: what the key would need.'),
      position: {
        type: 'integer',
        description: 'With 403: where in the formula, in code points, if it is the formula that asks for too much.',
      },
      status: { type: 'integer', description: 'The status of the reply, where it is said.' },
      request_id: text('With 500: the id under which the fault is logged.'),
    },
  },
  TagErrorResponse: {
    type: 'object',
    description: 'An invalid combination of inputs.',
    required: ['detail'],
    properties: {
      detail: text('The reason, for people.'),
      code: text('The reason, for programs.'),
      status: { type: 'integer', description: 'The status of the reply.' },
    },
  },
  WriteRefusal: {
    description: 'Every fault of a write, or the one of its `Idempotency-Key`.',
    anyOf: [{ $ref: '#/components/schemas/HTTPValidationError' }, { $ref: '#/components/schemas/ErrorResponse' }],
  },
  HTTPValidationError: {
    type: 'object',
    description: 'Every fault of a request: path, query and body, in this order.',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'The first hundred faults.',
      },
      omitted: { type: 'integer', description: 'How many more there are; absent for none.' },
    },
  },
  ValidationError: {
    type: 'object',
    description: 'One fault of a request.',
    required: ['type', 'loc', 'msg', 'input'],
    properties: {
      type: text('The kind of fault, for programs.'),
      loc: {
        type: 'array',
        items: { type: 'string' },
        description: 'Where it is: path, query or body, then names and indexes.',
      },
      msg: text('The fault, for people.'),
      input: { description: 'What was sent there.' },
      ctx: { type: 'object', description: 'Bounds, expected values and the like.' },
    },
  },
  Problem: {
    type: 'object',
    description: 'Any of these errors for `Accept: application/problem+json` (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'request_id'],
    properties: {
      type: text('The kind of problem, for programs.'),
      title: text('The name of the status.'),
      status: { type: 'integer', description: 'The status of the reply.' },
      detail: text('The reason, for people.'),
      instance: text('Path and query of the request.'),
      request_id: text('The id of the request.'),
      code: text('The reason, for programs.'),
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationError' },
        description: 'With 422: every fault.',
      },
    },
    additionalProperties: true,
  },
};
