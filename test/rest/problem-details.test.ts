import { describe, expect, it } from 'vitest';
import { prefersProblem } from '../../src/http/reply/problem-details.ts';
import { exchange } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import { createClient } from '../support/world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client({ role: 'viewer' });
});

const accept = { Accept: 'application/problem+json' };

describe('an error asked for as application/problem+json', () => {
  it.each([
    ['GET', '/nope', 404, { type: 'about:blank', title: 'Not Found', detail: 'Not Found' }],
    ['GET', '/imgs/none', 404, { type: 'about:blank', title: 'Not Found', detail: 'Image not found' }],
    ['POST', '/me', 405, { type: 'about:blank', title: 'Method Not Allowed', detail: 'Method Not Allowed' }],
    [
      'DELETE',
      '/imgs/a',
      403,
      {
        type: 'urn:problem-type:forbidden',
        title: 'Forbidden',
        detail: "Role 'viewer' may not write images",
        code: 'forbidden',
        required_scope: 'imgs:write',
      },
    ],
    [
      'GET',
      '/imgs?limit=0&lang=x',
      422,
      {
        type: 'urn:problem-type:validation-error',
        title: 'Unprocessable Entity',
        detail: 'query.limit: Input should be greater than or equal to 1 (and 1 more)',
        code: 'validation_error',
        errors: [expect.objectContaining({ loc: ['query', 'limit'], input: '0' }), expect.anything()],
      },
    ],
  ])('is one of RFC 9457: %s %s', async (method, path, status, expected) => {
    const answer = await client.rest(method, path, undefined, accept);
    const id = answer.headers.get('x-request-id');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect([answer.status, answer.body]).toEqual([status, { ...expected, status, instance: path, request_id: id }]);
  });

  it('keeps the headers that it has otherwise', async () => {
    const { status, headers, body } = await createClient(world.url, 'wrong').rest('GET', '/me', undefined, accept);
    expect([status, headers.get('www-authenticate'), body.detail]).toEqual([401, 'APIKey', 'Invalid API key']);
  });

  it('is that also for what never became a request', async () => {
    const [reply] = await exchange(world.url, `FROB /me HTTP/1.1\r\nHost: x\r\nAccept: ${accept.Accept}\r\n\r\n`);
    expect([reply?.status, reply?.headers['content-type']]).toEqual([405, 'application/problem+json']);
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ status: 405, detail: 'Method Not Allowed' });
  });

  it('quotes long integers to the last digit', async () => {
    const editor = await world.client({ role: 'editor' });
    const answer = await fetch(`${world.url}/imgs/a`, {
      method: 'POST',
      body: '{"title":123456789012345678901234567890}',
      headers: { ...accept, 'API-Key': editor.key, 'Content-Type': 'application/json' },
    });
    expect(await answer.text()).toContain('"input":123456789012345678901234567890}');
  });

  it('leaves answers that are none as they are', async () => {
    const { status, headers } = await client.rest('GET', '/me', undefined, accept);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  });

  it.each([
    ['application/problem+json', true],
    ['application/json, Application/Problem+JSON;q=0.5', true],
    ['application/problem+json;q=0', false],
    ['application/problem+json; q=0.0', false],
    ['application/problem+jsonx', false],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('is asked for by name: %s', (header, isAsked) => {
    expect(prefersProblem(header)).toBe(isAsked);
  });
});
