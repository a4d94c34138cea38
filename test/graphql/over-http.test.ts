import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let key: string;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  ({ key } = await world.client());
});

/** Nothing is answered without a key, so that the audits send one. */
const fetchFn: typeof fetch = (url, { headers, ...init } = {}) =>
  fetch(url, { ...init, headers: { ...(headers as Record<string, string>), 'API-Key': key } });

const audits = serverAudits({ url: () => `${world.url}/graphql`, fetchFn });

// Twice: a document that has run before takes another path than a new one.
describe.each(['first', 'second'])('GraphQL over HTTP, at the %s run of a document', () => {
  it.each(audits)('$name ($id)', async ({ fn }) => {
    const result = await fn();
    expect('reason' in result ? result.reason : result.status).toBe('ok');
  });
});

describe('a request that accepts no type of ours', () => {
  it.each([1, 2_000])('gets the name of each known one once, also if it sends %i unknown ones', async (count) => {
    const accept = Array.from({ length: count }, (_, i) => `a/b${i}`).join(',');
    const answer = await fetchFn(`${world.url}/graphql?query={__typename}`, { headers: { accept } });
    expect(answer.status).toBe(406);
    const types = (answer.headers.get('accept') ?? '').split(', ');
    expect(types).toContain('application/graphql-response+json; charset=utf-8');
    expect(new Set(types).size).toBe(types.length);
  });
});
