import type { Json } from './json-object.ts';

const description = `Media catalog, search and tagging.

**Key.** Every request carries an API key in the header \`API-Key\`.

**Writes** are accepted, queued and run as operations: the reply is 202 with an \`operation_id\` to follow, or with \`wait=true\`
the operation's record once it has ended. A failed element is listed in \`errors\`; the others are still written, unless \`strict\`.

**Spelling.** A trailing slash makes no difference, and \`HEAD\` works wherever \`GET\` does. Booleans can also be
\`1 0 yes no on off t f y n\`, integers \`+5\`, \`007\` and \`1_000\`, and times days (\`YYYY-MM-DD\`). Of a repeated parameter,
the last value counts; unknown parameters are ignored.

**Errors** that no operation lists: 404 for an unknown path, 405 with \`Allow\` for a method that the path does not
have, and 408, 414, 417 and 431 for requests that are too slow, too long or otherwise unacceptable. With
\`Accept: application/problem+json\`, every error has the form of RFC 9457. Errors of single elements (\`already_exists\`,
\`not_found\`, \`source_missing\`, …) are in the operation's record.`;

export const introduction: Json = {
  title: 'Media Catalog',
  version: '1.0.0',
  summary: 'Vitrine REST API',
  description,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
