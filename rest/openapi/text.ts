import type { Json } from './json-object.ts';

const description = `Media catalog, search and tagging.

**Key.** Every request carries an API key in the header \`API-Key\`.

**Writes** are accepted, queued and run as operations: 202 and an \`operation_id\` to follow, or with \`wait=true\`
the operation's record once it has ended. A failed element is listed in \`errors\` and fails no other, unless \`strict\`.

**Spelling.** A path answers alike with and without a slash at its end, and \`HEAD\` works wherever \`GET\` does. Booleans
are also read from \`1 0 yes no on off t f y n\`, integers from \`+5\`, \`007\` and \`1_000\`, days from
\`YYYY-MM-DD\` where a time is asked. Of a parameter given twice the last counts; unknown ones are ignored.

**Errors** that no operation lists: 404 for a path that does not exist, 405 with \`Allow\` for a method that a path does not
have, 408, 414, 417 and 431 for requests that are too slow, too long or too odd. With \`Accept: application/problem+json\`
every error comes as RFC 9457 has it. An element's own errors (\`already_exists\`, \`not_found\`, \`source_missing\`, …) are in the operation's record.`;

export const introduction: Json = {
  title: 'Media Catalog',
  version: '1.0.0',
  summary: 'Vitrine REST API',
  description,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};
