import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorCodes, protocolErrorCodes } from '../../src/lib/errors.ts';

it('docs/graphql.md says of each error code what a client can do, once', () => {
  const page = readFileSync('docs/graphql.md', 'utf8');
  const list = page.slice(page.indexOf('<!-- error codes -->'), page.indexOf('<!-- /error codes -->'));
  const listed = [...list.matchAll(/^- (`.*?`): /gm)].flatMap(([, codes = '']) =>
    codes.replaceAll('`', '').split(', '),
  );
  const own = [...errorCodes, ...protocolErrorCodes].filter((code) => code !== 'validation_error');
  const ofLibraries = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'].concat(
    ['NOT_FOUND', 'MISMATCH'].map((reason) => `PERSISTED_QUERY_${reason}`),
  );
  expect(listed.toSorted()).toEqual([...own, ...ofLibraries].toSorted());
});
