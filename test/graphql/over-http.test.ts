import { serverAudits } from 'graphql-http';
import { beforeAll, describe, expect, it } from 'vitest';
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
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'not_acceptable' } }] });
  });
});

describe('a document whose reply the client would not accept', () => {
  const send = (accept: string, query: string) =>
    fetchFn(`${world.url}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  const live = 'subscription { matches(name: "live") { number } }';

  beforeAll(async () => {
    const watch = 'mutation { saveFormula(name: "live", formula: "boats", watching: true) { watching } }';
    await send('*/*', watch);
  });

  it.each(['multipart/mixed', 'multipart/*', 'text/html', 'constructor'])('is not executed for %s', async (accept) => {
    const name = `kept ${accept}`;
    const answer = await send(accept, `mutation { createCollection(name: "${name}") { name } }`);
    expect([answer.status, (await answer.json()).errors[0].extensions.code]).toEqual([406, 'not_acceptable']);
    const { collections } = (await (await send('*/*', '{ collections { results { name } } }')).json()).data;
    expect(JSON.stringify(collections)).not.toContain(name);
  });

  it.each(['application/json', '*/*', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json'])(
    'is refused with a hint if it is a subscription, for %s',
    async (accept) => {
      const answer = await send(accept, live);
      expect([answer.status, (await answer.json()).errors[0].extensions.hint]).toEqual([
        406,
        expect.stringContaining('text/event-stream for subscriptions'),
      ]);
    },
  );

  it.each(['text/event-stream, */*', '*/*;q=0.1, text/event-stream', 'multipart/mixed, text/event-stream'])(
    'is answered with events if it is a subscription, for %s',
    async (accept) => {
      const answer = await send(accept, live);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      await answer.body?.cancel();
    },
  );

  it('is answered with events that proxies neither buffer nor compress, if it is a subscription', async () => {
    const answer = await send('text/event-stream', live);
    expect([answer.headers.get('x-accel-buffering'), answer.headers.get('cache-control')]).toEqual([
      'no',
      'no-cache, no-transform',
    ]);
    await answer.body?.cancel();
  });
});
