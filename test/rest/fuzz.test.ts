import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildOpenApi, endpoints } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { openReplyChecker } from '../support/openapi.ts';
import { requestsTo } from '../support/requests.ts';
import type { RandomRequest } from '../support/requests.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { runsOf } from '../support/effort.ts';

const check = openReplyChecker(buildOpenApi({ schema }));
const runs = { numRuns: runsOf('requests to an endpoint') };

/** Values that can be of the right shape and still mean nothing, or lead nowhere. */
const meanings = [
  'query q',
  'body q',
  'query page',
  'query sort_by',
  'query cursor',
  'body image',
  'body image_url',
  'path second_id',
];

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
  await client.write('POST', '/imgs', [{ id: '1', src_path: 'a.png' }]);
});

async function send({ method, target, body, headers }: RandomRequest, key = client.key) {
  const answer = await fetch(world.url + target, {
    method,
    headers: { ...headers, 'API-Key': key },
    body: body ?? null,
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  // Events and pictures are tested elsewhere.
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : '' };
}

type Answer = Awaited<ReturnType<typeof send>>;

/** What is wrong with an answer for what the request was. */
function faultsOf({ faults }: RandomRequest, { status, headers, body }: Answer): string[] {
  const isOfMeaning = ({ loc, type }: { loc: string[]; type: string }) =>
    meanings.includes(loc.slice(0, 2).join(' ')) || type === 'value_error';
  const wasRefused = status === 400 || status === 422;
  return [
    ...(status >= 500 && status !== 501 ? [`it failed with ${status}`] : []),
    ...(headers.get('API-Version') === '1.0.0' ? [] : ['API-Version is missing']),
    ...(headers.get('X-Request-Id') ? [] : ['X-Request-Id is missing']),
    ...(faults.length > 0 && !wasRefused ? [`it took a wrong ${faults.join()}`] : []),
    ...(faults.length === 0 && status === 422 && !body.detail.every(isOfMeaning) ? ['it refused right values'] : []),
  ];
}

const table = endpoints.map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint }));

describe('random requests', () => {
  it.each(table)('get documented answers: $name', async ({ endpoint }) => {
    const { method, path } = endpoint;
    await fc.assert(
      fc.asyncProperty(requestsTo(endpoint), async (request) => {
        const answer = await send(request);
        expect(check(method, path, answer.status, answer.body)).toEqual([]);
        expect(faultsOf(request, answer)).toEqual([]);
      }),
      runs,
    );
  });

  it.each(table)('are refused without a key, whatever they hold: $name', async ({ endpoint }) => {
    await fc.assert(
      fc.asyncProperty(requestsTo(endpoint), async (request) => {
        const { status, body } = await send(request, 'no-such-key');
        expect(status).toBe(401);
        expect(check(endpoint.method, endpoint.path, status, body)).toEqual([]);
      }),
      { numRuns: Math.ceil(runs.numRuns / 4) },
    );
  });
});
