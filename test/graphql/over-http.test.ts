import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

const audits = serverAudits({ url: () => `${world.url}/graphql` });

// Twice: a document that has run before takes another way than at first sight.
describe.each(['first sight', 'second sight'])('GraphQL over HTTP, at %s of a document', () => {
  it.each(audits)('$name ($id)', async ({ fn }) => {
    const result = await fn();
    expect('reason' in result ? result.reason : result.status).toBe('ok');
  });
});
