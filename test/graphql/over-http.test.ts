import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
let key: string;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  ({ key } = await world.client());
});
afterAll(() => world.close());

/** Nothing is answered without a key, so that the audits send one. */
const fetchFn: typeof fetch = (url, { headers, ...init } = {}) =>
  fetch(url, { ...init, headers: { ...(headers as Record<string, string>), 'API-Key': key } });

const audits = serverAudits({ url: () => `${world.url}/graphql`, fetchFn });

// Twice: a document that has run before takes another way than at first sight.
describe.each(['first sight', 'second sight'])('GraphQL over HTTP, at %s of a document', () => {
  it.each(audits)('$name ($id)', async ({ fn }) => {
    const result = await fn();
    expect('reason' in result ? result.reason : result.status).toBe('ok');
  });
});

describe('a request that accepts no type of ours', () => {
  it.each([1, 2_000])('is told each that there is once, also when it names %i of its own', async (count) => {
    const accept = Array.from({ length: count }, (_, i) => `a/b${i}`).join(',');
    const answer = await fetchFn(`${world.url}/graphql?query={__typename}`, { headers: { accept } });
    expect(answer.status).toBe(406);
    const types = (answer.headers.get('accept') ?? '').split(', ');
    expect(types).toContain('application/graphql-response+json; charset=utf-8');
    expect(new Set(types).size).toBe(types.length);
  });
});
