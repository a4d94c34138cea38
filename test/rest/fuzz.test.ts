import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi, endpoints } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { openReplyChecker } from '../support/openapi.ts';
import { requestsTo } from '../support/requests.ts';
import type { RandomRequest } from '../support/requests.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const check = openReplyChecker(buildOpenApi({ schema }));
const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) };

/** Parameters whose values can be of the right shape and still mean nothing. */
const hasMeaning = ['q', 'page', 'sort_by', 'cursor'];

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  await world.picture('a.png');
  await client.write('POST', '/imgs', [{ id: '1', src_path: 'a.png' }]);
});
afterAll(() => world.close());

async function send({ method, target, body, headers }: RandomRequest, key = client.key) {
  const answer = await fetch(world.url + target, {
    method,
    headers: { ...headers, 'API-Key': key },
    body: body ?? null,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? '' : JSON.parse(text) };
}

const table = endpoints.map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint }));

describe('random requests', () => {
  it.each(table)('get documented answers: $name', async ({ endpoint }) => {
    const { method, path } = endpoint;
    await fc.assert(
      fc.asyncProperty(requestsTo(endpoint), async (request) => {
        const { status, headers, body } = await send(request);
        expect(check(method, path, status, body)).toEqual([]);
        expect([500, 502, 503, 504]).not.toContain(status);
        expect(headers.get('API-Version')).toBe('1.0.0');
        expect(headers.get('X-Request-Id')).toMatch(/./);
        // A value that is no such thing is refused; what is refused beyond that is refused for its meaning.
        if (request.faults.length > 0) expect([400, 422]).toContain(status);
        const names = endpoint.parameters.map(({ name }) => name).filter((name) => hasMeaning.includes(name));
        const meaning = { loc: ['query', expect.toBeOneOf(names)] };
        if (status === 422 && request.faults.length === 0)
          expect(body.detail).toEqual([expect.objectContaining(meaning)]);
      }),
      runs,
    );
  });

  it.each(table)('are refused without a key, unless they cannot be read: $name', async ({ endpoint }) => {
    await fc.assert(
      fc.asyncProperty(requestsTo(endpoint), async (request) => {
        const { status, body } = await send(request, 'no-such-key');
        expect([400, 401, 422]).toContain(status);
        if (status === 422) expect(body.detail[0].type).toBe('json_invalid');
        expect(check(endpoint.method, endpoint.path, status, body)).toEqual([]);
      }),
      { numRuns: Math.ceil(runs.numRuns / 4) },
    );
  });
});
