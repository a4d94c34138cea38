import type { ErrorCode, ProtocolErrorCode } from '../lib/errors.ts';

/** Codes of the libraries that read documents. */
type LibraryCode =
  'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED' | 'PERSISTED_QUERY_NOT_FOUND' | 'PERSISTED_QUERY_MISMATCH';

/** Only problem details of REST have it. */
type RestCode = 'validation_error';

const correctDocument = 'correct the document; see `message` and `locations`';
const otherFile = 'send another file';
const retry = 'retry later; `unavailable` has status 503 if the reply has nothing else';

/** What a client can do about each error code of GraphQL; docs/graphql.md lists it. */
export const errorAdvice: Readonly<Record<LibraryCode | ErrorCode | Exclude<ProtocolErrorCode, RestCode>, string>> = {
  GRAPHQL_PARSE_FAILED: correctDocument,
  GRAPHQL_VALIDATION_FAILED: correctDocument,
  PERSISTED_QUERY_NOT_FOUND: 'send the document with its hash',
  PERSISTED_QUERY_MISMATCH: 'send the SHA-256 of the document',
  invalid_argument: 'correct the named `argument`',
  invalid_formula: 'see `position`, `length`, `hint` and `pointer` (for a monospaced font) in `ctx`',
  invalid_input_combination: 'give exactly one of `image` and `imageUrl`',
  page_too_deep: 'use `cursor`',
  sort_requires_similarity: 'add a similarity term to `q`',
  document_too_complex: 'reduce what `limit`, `actual`, `max` and `hint` name',
  reply_too_large: 'use smaller pages or fewer fields',
  unauthenticated: 'send a key',
  invalid_key: 'send a valid key',
  forbidden: 'send a key with `requiredScope`',
  not_acceptable: '406, nothing was executed: change `Accept`; subscriptions need `text/event-stream`',
  expectation_failed: 'expect only `100-continue`',
  invalid_http: 'send a complete request',
  not_found: 'name something that exists; queries return null instead',
  rate_limited: 'wait `retryAfter` seconds',
  too_many_streams: 'end other event streams of the key',
  too_many_operations: 'end other operations of the WebSocket',
  quota_exceeded: 'remove something first; the limit applies to the tenant',
  precondition_failed: 'read the record again; its `version` differs from `ifMatch`',
  idempotency_key_reused: 'use another key for another write',
  idempotency_key_in_use: 'retry in a second',
  upload_conflict: 'check the state of the upload',
  too_large: otherFile,
  unsupported_media: otherFile,
  invalid_image: otherFile,
  provider_failed: retry,
  unavailable: retry,
  timeout: retry,
  not_implemented: 'this process does not offer it, or it is disabled',
  internal: 'an internal error; see the log of the service for the `requestId`',
};
