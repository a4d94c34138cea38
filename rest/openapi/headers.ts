import type { Json } from './json-object.ts';

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const whole = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of replies, by name. */
export const responseHeaders: Readonly<Record<string, Json>> = {
  'API-Version': text('Version of this interface.'),
  'X-Request-Id': text('Id of the request: the value of the same request header, or a new id.'),
  'X-Total-Count': whole('Total number of results on all pages.'),
  Link: text('The pages first, prev and next, where they exist (RFC 8288).'),
  'Search-Backend': text(
    'If Meilisearch is configured: the backend of each part, `results=meilisearch, count=postgresql;reason=behind`.',
  ),
  'Search-Engine': {
    ...text('The former name of Search-Backend, with `reason=away` for `reason=unavailable`.'),
    deprecated: true,
  },
  ETag: text('Tag of the reply, for `If-None-Match`.'),
  'Retry-After': whole('Seconds to wait before retrying.'),
  RateLimit: text('Remaining requests, if a rate limit is configured.'),
  'WWW-Authenticate': text('How to authenticate: `APIKey`.'),
};

/** Headers that every reply carries. */
const everywhere = ['API-Version', 'X-Request-Id'];

/** References to headers by name, including those that every reply carries. */
export function headerReferences(names: readonly string[] = []): Json {
  return Object.fromEntries([...everywhere, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
