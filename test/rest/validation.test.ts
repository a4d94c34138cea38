import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import { revokeApiKey, roleScopes } from '../../src/tenants/index.ts';
import { excerpt } from '../../src/lib/excerpt.ts';
import { exchange } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import { createClient } from '../support/world.ts';
import type { Answer, Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

/** Every endpoint, with values for what its path leaves open. */
const routes = endpoints.map(({ method, path }) => ({
  method,
  path: path
    .replace(/(?<=.)\/$/, '')
    .replace('{op_id}', '1')
    .replace(/\{(?:image|video)_id\}/, 'a'),
}));

const missingItem = (index: number, input: unknown) => ({
  type: 'missing',
  loc: ['body', String(index), 'id'],
  msg: 'Field required',
  input,
});
const list = 'Input should be a valid list';
const object = 'Input should be a valid dictionary or object to extract fields from';
const text = 'Input should be a valid string';
const boolean = 'Input should be a valid boolean';
const unclearBoolean = 'Input should be a valid boolean, unable to interpret input';
const integer = 'Input should be a valid integer, unable to parse string as an integer';
const languages = "'en', 'es', 'pt', 'fr' or 'ru'";

describe('a parameter of the query', () => {
  const atLeast = (ge: number) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${ge}`,
    ctx: { ge },
  });
  const atMost = (le: number) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${le}`,
    ctx: { le },
  });
  const oneOf = (expected: string) => ({ type: 'enum', msg: `Input should be ${expected}`, ctx: { expected } });
  const noInteger = { type: 'int_parsing', msg: integer };
  const noBoolean = { type: 'bool_parsing', msg: unclearBoolean };

  it.each([
    ['page', '0', atLeast(1)],
    ['page', '-1', atLeast(1)],
    ['page', '', noInteger],
    ['page', '1.5', noInteger],
    ['page', '1e3', noInteger],
    ['page', '0x10', noInteger],
    ['page', '१', noInteger],
    [
      'page',
      '9'.repeat(4301),
      { type: 'int_parsing_size', msg: 'Unable to parse input string as an integer, exceeded maximum size' },
    ],
    ['limit', '0', atLeast(1)],
    ['limit', '10001', atMost(10_000)],
    ['limit', 'many', noInteger],
    ['sort_order', 'up', oneOf("'asc' or 'desc'")],
    ['sort_order', 'ASC', oneOf("'asc' or 'desc'")],
    ['lang', 'pt', oneOf("'ml', 'en' or 'es'")],
    ['count', 'maybe', noBoolean],
    ['count', '', noBoolean],
    ['count', ' true', noBoolean],
    ['count', '2', noBoolean],
  ])(
    'of GET /imgs %s=%s answers 422',
    async (name, value, { ctx, ...problem }: { type: string; msg: string; ctx?: object }) => {
      const { status, body } = await client.rest('GET', `/imgs?${name}=${encodeURIComponent(value)}`);
      const detail = [
        { type: problem.type, loc: ['query', name], msg: problem.msg, input: excerpt(value), ...(ctx && { ctx }) },
      ];
      expect([status, body]).toEqual([422, { detail }]);
    },
  );

  it.each([
    [
      'sort_by',
      'aperture',
      ['query', 'sort_by'],
      /^Input should be '', 'image_id', 'src', .*'medium', 'technique', 'similarity' or 'sim'$/,
    ],
    ['sort_by', 'keywords', ['query', 'sort_by'], /^Input should be ''/],
    [
      'fields',
      'aperture',
      ['query', 'fields', '0'],
      /^Input should be 'image_id', 'src', .*'height', 'width' or 'n_faces'$/,
    ],
    ['fields', '', ['query', 'fields', '0'], /^Input should be 'image_id'/],
    ['fields', 'title,city', ['query', 'fields', '0'], /^Input should be 'image_id'/],
    [
      'facets',
      'title',
      ['query', 'facets', '0'],
      /^Input should be 'ai_generated', 'model_release', .*'categories' or 'collections'$/,
    ],
  ])('of GET /imgs %s=%s answers 422 with the values that there are', async (name, value, loc, msg) => {
    const { status, body } = await client.rest('GET', `/imgs?${name}=${value}`);
    const expected = String(body.detail[0].msg).replace('Input should be ', '');
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'enum', loc, msg: expect.stringMatching(msg), input: value, ctx: { expected } }],
    ]);
  });

  it.each([
    'page=%2B1',
    'page=+1',
    'page=001',
    'page=1.0',
    'limit=1_000',
    'limit=0__1',
    'sort_by=',
    'count=YES',
    'count=f',
    'count=0',
    'page=0&page=1',
    'fields=title&fields=title',
    'fields[]=x',
    'Page=0',
    'unknown=1',
    'lang=ml',
    'sort_by=date&sort_order=asc',
  ])('of GET /imgs is accepted: ?%s', async (query) => {
    expect((await client.rest('GET', `/imgs?${query}`)).status).toBe(200);
  });

  it.each([
    [
      'POST',
      '/imgs/a',
      'lang=de',
      'lang',
      { type: 'enum', msg: `Input should be ${languages}`, ctx: { expected: languages } },
    ],
    ['PUT', '/imgs/a', 'upsert=2', 'upsert', noBoolean],
    ['PATCH', '/imgs/a', 'wait=', 'wait', noBoolean],
    ['DELETE', '/imgs/a', 'urgent=now', 'urgent', noBoolean],
    ['DELETE', '/imgs/a', 'strict=none', 'strict', noBoolean],
  ])('of %s %s?%s answers 422 and nothing is accepted', async (method, path, query, name, problem) => {
    const own = await world.client();
    const { status, body } = await own.rest(method, `${path}?${query}`, method === 'DELETE' ? undefined : {});
    expect([status, body.detail]).toEqual([422, [{ ...problem, loc: ['query', name], input: query.split('=')[1] }]]);
    expect((await own.rest('GET', '/ops')).body).toEqual([]);
  });

  it('that DELETE does not take is ignored', async () => {
    expect((await client.rest('DELETE', '/imgs/a?lang=de')).status).toBe(202);
  });
});

describe('a body of the wrong shape', () => {
  it.each([
    ['/imgs', {}, [{ type: 'list_type', loc: ['body'], msg: list, input: {} }]],
    ['/imgs', null, [{ type: 'list_type', loc: ['body'], msg: list, input: null }]],
    ['/imgs', '"x"', [{ type: 'list_type', loc: ['body'], msg: list, input: 'x' }]],
    [
      '/imgs',
      ['x', 1],
      [
        { type: 'model_attributes_type', loc: ['body', '0'], msg: object, input: 'x' },
        { type: 'model_attributes_type', loc: ['body', '1'], msg: object, input: 1 },
      ],
    ],
    ['/imgs', [{ id: 'a' }, { title: 'T' }, {}], [missingItem(1, { title: 'T' }), missingItem(2, {})]],
    ['/imgs', [{ id: 5 }], [{ type: 'string_type', loc: ['body', '0', 'id'], msg: text, input: 5 }]],
    ['/imgs', [{ id: null }], [{ type: 'string_type', loc: ['body', '0', 'id'], msg: text, input: null }]],
    [
      '/imgs',
      [{ nsfw: 2, title: 1 }],
      [
        missingItem(0, { nsfw: 2, title: 1 }),
        { type: 'string_type', loc: ['body', '0', 'title'], msg: text, input: 1 },
        { type: 'bool_parsing', loc: ['body', '0', 'nsfw'], msg: unclearBoolean, input: 2 },
      ],
    ],
    ['/imgs/a', [], [{ type: 'model_attributes_type', loc: ['body'], msg: object, input: [] }]],
    ['/imgs/a', { title: true }, [{ type: 'string_type', loc: ['body', 'title'], msg: text, input: true }]],
    ['/imgs/a', { date: 2024 }, [{ type: 'string_type', loc: ['body', 'date'], msg: text, input: 2024 }]],
    ['/imgs/a', { nsfw: 1.5 }, [{ type: 'bool_type', loc: ['body', 'nsfw'], msg: boolean, input: 1.5 }]],
    ['/imgs/a', { nsfw: [] }, [{ type: 'bool_type', loc: ['body', 'nsfw'], msg: boolean, input: [] }]],
    ['/imgs/a', { keywords: 'a' }, [{ type: 'list_type', loc: ['body', 'keywords'], msg: list, input: 'a' }]],
    [
      '/imgs/a',
      { keywords: ['a', 1, null] },
      [
        { type: 'string_type', loc: ['body', 'keywords', '1'], msg: text, input: 1 },
        { type: 'string_type', loc: ['body', 'keywords', '2'], msg: text, input: null },
      ],
    ],
  ])('is refused with every fault and its place: PATCH %s %j', async (path, body, detail) => {
    const own = await world.client();
    const answer = await own.rest('PATCH', path, typeof body === 'string' ? body : JSON.stringify(body));
    expect([answer.status, answer.body]).toEqual([422, { detail }]);
    expect((await own.rest('GET', '/ops')).body).toEqual([]);
  });

  it('names faults of path, query and body together, in this order', async () => {
    const { status, body } = await client.rest('PATCH', '/imgs/a?strict=x&lang=de', { title: 1 });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
      ['query', 'strict'],
      ['query', 'lang'],
      ['body', 'title'],
    ]);
  });

  it.each(['PUT', 'POST', 'PATCH', 'DELETE'])('is refused where there is none: %s /imgs', async (method) => {
    const { status, body } = await client.rest(method, '/imgs');
    const detail = [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }];
    expect([status, body]).toEqual([422, { detail }]);
  });

  it.each(['true', '"off"', '"YES"', '1', '0.0', 'null'])('is none where a boolean is %s', async (sent) => {
    expect((await client.rest('PATCH', '/imgs/a', `{"nsfw": ${sent}}`)).status).toBe(202);
  });
});

describe('a body that is not JSON', () => {
  const json = (position: number, error: string) => ({
    type: 'json_invalid',
    loc: ['body', String(position)],
    msg: 'JSON decode error',
    input: {},
    ctx: { error },
  });

  it.each([
    ['{', json(1, 'Expecting property name enclosed in double quotes')],
    ['[{"id":"a"},]', json(12, 'Expecting value')],
    ['[{"id" "a"}]', json(7, "Expecting ':' delimiter")],
    ['[{"id":"a"} 1]', json(12, "Expecting ',' delimiter")],
    ['["é🌁', json(1, 'Unterminated string starting at')],
    ['["é🌁" x', json(6, "Expecting ',' delimiter")],
    ['[] x', json(3, 'Extra data')],
    ['   ', json(3, 'Expecting value')],
    ['["\\x"]', json(2, 'Invalid \\escape')],
  ])('is answered 422 with the place of the mistake, and is not read without a key: %j', async (body, problem) => {
    const answer = await client.rest('POST', '/imgs', body);
    expect([answer.status, answer.body]).toEqual([422, { detail: [problem] }]);
    const refused = await createClient(world.url, '').rest('POST', '/imgs', body);
    expect([refused.status, refused.body]).toEqual([401, { detail: 'Not authenticated' }]);
  });

  it('answers 400 where it cannot be read at all', async () => {
    const headers = { 'API-Key': client.key, 'Content-Type': 'application/json' };
    for (const body of [new Uint8Array([0x5b, 0xff, 0x5d]), '['.repeat(100_000)]) {
      const answer = await fetch(`${world.url}/imgs`, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toEqual([400, { detail: 'There was an error parsing the body' }]);
    }
  });

  it('lists a hundred faults and counts the others, with the beginning of what was sent', async () => {
    const wrong = Array.from({ length: 300 }, (_, i) => ({ id: `a${i}`, keywords: [i, 'x'.repeat(9)], title: i }));
    const { status, body } = await client.rest('POST', '/imgs', [{ id: ['y'.repeat(1000)] }, ...wrong]);
    expect([status, body.detail.length, body.omitted]).toEqual([422, 100, 501]);
    expect(body.detail[0].input).toBe(`["${'y'.repeat(254)} …`);
    expect(body.detail[2]).toMatchObject({ loc: ['body', '1', 'keywords', '0'], input: 0 });
  });

  it('has a fault for each of 200 000 wrong values of one element', async () => {
    const { status, body } = await client.rest('POST', '/imgs', [{ id: 'a', keywords: Array(200_000).fill(1) }]);
    expect([status, body.detail.length, body.omitted]).toEqual([422, 100, 199_900]);
  });

  it.each([
    ['values', `[${'[],'.repeat(2_000_001)}[]]`, 'The JSON body has more than 2000000 values'],
    ['one value', `["${'x'.repeat(1_100_000)}"]`, 'A value of the JSON body is longer than 1024 KiB'],
  ])('answers 413 for too much of %s', async (_, text, detail) => {
    const { status, body } = await client.rest('POST', '/imgs', text);
    expect([status, body]).toEqual([413, { detail, code: 'too_large', hint: 'Send it in several requests' }]);
  });

  it('answers 413 before all of a body with too many values has come', async () => {
    const start = `[${'[],'.repeat(2_000_001)}`;
    const head = `POST /imgs HTTP/1.1\r\nHost: a\r\nAPI-Key: ${client.key}\r\nContent-Length: 30000000\r\n\r\n`;
    const [reply] = await exchange(world.url, head + start);
    expect([reply?.status, reply?.body]).toEqual([413, expect.stringContaining('more than 2000000 values')]);
  });

  it('is a text in another content type', async () => {
    const { status, body } = await client.rest('POST', '/imgs', '[]', { 'Content-Type': 'text/plain' });
    expect([status, body.detail]).toEqual([422, [{ type: 'list_type', loc: ['body'], msg: list, input: '[]' }]]);
  });

  it.each(['application/json; charset=latin1', 'APPLICATION/JSON', 'application/vnd.api+json'])(
    'is read as JSON in content type %j',
    async (type) => {
      const { status } = await client.rest('DELETE', '/imgs', '[{"id":"a"}]', { 'Content-Type': type });
      expect(status).toBe(202);
    },
  );

  it('is read as JSON without a content type', async () => {
    const body = new TextEncoder().encode('[{"id":"a"}]');
    const answer = await fetch(`${world.url}/imgs`, { method: 'DELETE', headers: { 'API-Key': client.key }, body });
    expect(answer.status).toBe(202);
  });
});

describe('a request without a valid key', () => {
  const expired = () => world.client({ expiresAt: new Date(Date.now() - 1000) });
  const revoked = async () => {
    const own = await world.client();
    await revokeApiKey(world.backing.database, own.key.slice(0, 11));
    return own;
  };
  const refusal = (answer: Answer) => [answer.status, answer.body, answer.headers.get('www-authenticate')];

  it.each(routes)('is answered 401 at $method $path, before its parameters are checked', async ({ method, path }) => {
    const without = await createClient(world.url, '').rest(method, `${path}?limit=0&wait=x`);
    expect(refusal(without)).toEqual([401, { detail: 'Not authenticated' }, 'APIKey']);
    const wrong = await createClient(world.url, 'wrong').rest(method, `${path}?limit=0&wait=x`);
    expect(refusal(wrong)).toEqual([401, { detail: 'Invalid API key' }, 'APIKey']);
  });

  it.each([
    ['expired', expired],
    ['revoked', revoked],
    ['of another letter', async () => createClient(world.url, `${client.key}x`)],
    ['far too long', async () => createClient(world.url, 'x'.repeat(10_000))],
  ])('is answered in the same words whether it is wrong or %s', async (_, make) => {
    const answer = await (await make()).rest('GET', '/me');
    expect(refusal(answer)).toEqual([401, { detail: 'Invalid API key' }, 'APIKey']);
  });

  it('reads the key from the header API-Key in any letter case, and from no other', async () => {
    const get = async (headers: Record<string, string>) => (await fetch(`${world.url}/me`, { headers })).status;
    expect(await get({ 'api-key': client.key })).toBe(200);
    expect(await get({ 'API-KEY': `  ${client.key} ` })).toBe(200);
    expect(await get({ API_Key: client.key })).toBe(401);
    expect(await get({ Authorization: `Bearer ${client.key}` })).toBe(401);
    expect((await createClient(world.url, '').rest('GET', `/me?API-Key=${client.key}`)).status).toBe(401);
  });
});

describe('a role that may not', () => {
  const scopes: Readonly<Record<string, [scope: string, act: string]>> = {
    viewer: ['imgs:write', 'write images'],
    tagger: ['imgs:write', 'write images'],
  };

  it.each([
    ['viewer', 'POST', '/imgs/a', {}],
    ['viewer', 'PUT', '/imgs/a', {}],
    ['viewer', 'PATCH', '/imgs', [{ id: 'a' }]],
    ['viewer', 'DELETE', '/imgs/a', undefined],
    ['viewer', 'POST', '/imgs/delete', [{ id: 'a' }]],
    ['tagger', 'DELETE', '/imgs', [{ id: 'a' }]],
  ] as const)(
    'write, such as %s at %s %s, is answered 403 and nothing is accepted',
    async (role, method, path, body) => {
      const own = await world.client({ role });
      const answer = await own.rest(method, path, body);
      const [scope, act] = scopes[role] ?? [];
      const detail = `Role '${role}' may not ${act}`;
      expect([answer.status, answer.body]).toEqual([403, { detail, code: 'forbidden', required_scope: scope }]);
      expect((await own.rest('GET', '/ops')).body).toEqual([]);
    },
  );

  it.each(['viewer', 'tagger'] as const)('abort, such as %s, is answered 403', async (role) => {
    const { status, body } = await (await world.client({ role })).rest('DELETE', '/ops/1');
    const detail = `Role '${role}' may not abort operations`;
    expect([status, body]).toEqual([403, { detail, code: 'forbidden', required_scope: 'ops:abort' }]);
  });

  it.each([
    ['viewer', 404],
    ['tagger', 404],
    ['editor', 404],
    ['admin', 404],
  ] as const)('read is none: %s', async (role, missing) => {
    const own = await world.client({ role });
    const statuses = [];
    for (const path of ['/me', '/imgs', '/imgs/a', '/ops', '/ops/1'])
      statuses.push((await own.rest('GET', path)).status);
    expect(statuses).toEqual([200, 200, missing, 200, missing]);
  });

  it.each(['editor', 'admin'] as const)('write is not %s', async (role) => {
    const own = await world.client({ role });
    const { status, body } = await own.rest('DELETE', '/imgs/a');
    expect(status).toBe(202);
    expect((await own.rest('DELETE', `/ops/${body.operation_id}`)).status).toBe(200);
  });
});

describe('GET /me', () => {
  it('returns the role of the key', async () => {
    const own = await world.client({ role: 'editor', expiresAt: new Date('2999-01-01T00:00:00Z') });
    const { status, body } = await own.rest('GET', '/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      client_name: `editor of ${body.tenant}`,
      role_name: 'editor',
      tenant: expect.stringMatching(/^tenant-\d+-\d+$/),
      scopes: [...roleScopes.editor],
      key: { prefix: own.key.slice(0, 11), name: `editor of ${body.tenant}`, expires_at: '2999-01-01T00:00:00.000Z' },
      limits: {
        batch_elements: 10_000,
        max_images: null,
        max_videos: null,
        read: null,
        write: null,
        tag: null,
        query_image: null,
      },
    });
  });
});

const allowed: Readonly<Record<string, string>> = {
  '/me': 'GET, HEAD, OPTIONS',
  '/ops': 'GET, HEAD, OPTIONS',
  '/ops/1/events': 'GET, HEAD, OPTIONS',
  '/ops/1': 'DELETE, GET, HEAD, OPTIONS',
  '/ops/1/changes': 'GET, HEAD, OPTIONS',
  '/ops/1/undo': 'OPTIONS, POST',
  '/imgs/a/history': 'GET, HEAD, OPTIONS',
  '/imgs/a/restore': 'OPTIONS, POST',
  '/imgs/a/purge': 'OPTIONS, POST',
  '/vids/a/history': 'GET, HEAD, OPTIONS',
  '/vids/a/restore': 'OPTIONS, POST',
  '/vids/a/purge': 'OPTIONS, POST',
  '/imgs': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
  '/imgs/a': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
  '/imgs/explain': 'GET, HEAD, OPTIONS',
  '/imgs/delete': 'OPTIONS, POST',
  '/tag/image': 'OPTIONS, POST',
  '/duplicates': 'GET, HEAD, OPTIONS, POST',
  '/duplicates/merge': 'OPTIONS, POST',
  '/verdicts': 'GET, HEAD, OPTIONS',
  '/verdicts/{first_id}/{second_id}': 'DELETE, OPTIONS, PUT',
  '/query_imgs': 'OPTIONS, POST',
  '/exports/imgs': 'OPTIONS, POST',
  '/exports/vids': 'OPTIONS, POST',
  '/exports/1': 'GET, HEAD, OPTIONS',
  '/uploads': 'OPTIONS, POST',
  '/vids': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
  '/vids/a': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
  '/vids/delete': 'OPTIONS, POST',
  '/vids/a/poster': 'GET, HEAD, OPTIONS',
  '/formulas/{name}/events': 'GET, HEAD, OPTIONS',
  '/webhooks': 'GET, HEAD, OPTIONS, POST',
  '/webhooks/{webhook_id}': 'DELETE, GET, HEAD, OPTIONS, PATCH',
  '/webhooks/{webhook_id}/secret': 'OPTIONS, POST',
  '/webhooks/{webhook_id}/test': 'OPTIONS, POST',
  '/webhooks/{webhook_id}/messages': 'GET, HEAD, OPTIONS',
  '/webhooks/{webhook_id}/replay': 'OPTIONS, POST',
};

describe('a path', () => {
  /** A tenant whose only operation has ended, so that no answer changes from one request to the next. */
  let quiet: Client;
  let opPath: string;
  beforeAll(async () => {
    quiet = await world.client();
    opPath = `/ops/${(await quiet.rest('DELETE', '/imgs/a')).body.operation_id}`;
    await quiet.rest('DELETE', opPath);
  });
  const paths = [...new Set(routes.map(({ path }) => path))];

  it.each(paths)('returns its methods without a key: OPTIONS %s', async (path) => {
    for (const spelling of [path, `${path}/`]) {
      const { status, headers, body } = await createClient(world.url, '').rest('OPTIONS', spelling);
      expect([status, headers.get('allow'), body]).toEqual([204, allowed[path], '']);
    }
  });

  it.each([
    ['POST', '/me'],
    ['DELETE', '/me/'],
    ['POST', '/ops'],
    ['PUT', '/ops/1'],
    ['PATCH', '/ops/abc'],
    ['LINK', '/imgs'],
  ])('refuses another method with 405 and every method it has: %s %s', async (method, path) => {
    const { status, headers, body } = await createClient(world.url, '').rest(method, path);
    const allow = allowed[path.replace(/\/$/, '').replace('abc', '1')];
    expect([status, body, headers.get('allow')]).toEqual([405, { detail: 'Method Not Allowed' }, allow]);
  });

  it.each([
    '/nope',
    '/img',
    '/imgs/a/b',
    '/imgs%2Fa',
    '/ops//',
    '/tag/',
    '//imgs',
    '/v1/imgs',
    '/ops/1/errors',
    '/IMGS',
    '/celebs',
  ])('that leads nowhere answers 404 without a key: %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, body } = await createClient(world.url, '').rest(method, path);
      expect([status, body]).toEqual([404, { detail: 'Not Found' }]);
    }
  });

  it.each(['/me', '/imgs', '/imgs/a', '/ops', '/ops/1', '/ops/abc', '/imgs?limit=0'])(
    'answers HEAD as GET, without a body: %s',
    async (route) => {
      const path = route.replace('/ops/1', opPath);
      const [get, head] = [await quiet.rest('GET', path), await quiet.rest('HEAD', path)];
      const facts = ({ status, headers }: Answer) => [
        status,
        ...['content-type', 'content-length', 'x-total-count', 'link', 'allow'].map((name) => headers.get(name)),
      ];
      expect(facts(head)).toEqual(facts(get));
      expect(head.body).toBe('');
    },
  );

  it.each(['/me', '/imgs', '/imgs/a', '/ops', '/ops/1', '/imgs?limit=0', '/ops?limit=x'])(
    'answers alike with a slash at its end: %s',
    async (route) => {
      const path = route.replace('/ops/1', opPath);
      const [plain, slashed] = [await quiet.rest('GET', path), await quiet.rest('GET', path.replace(/(?=\?|$)/, '/'))];
      expect([slashed.status, slashed.body]).toEqual([plain.status, plain.body]);
    },
  );

  it('with a slash at its end is written to alike', async () => {
    const { status, body } = await client.rest('POST', '/imgs/', [{ id: 'a' }]);
    expect([status, body.n_total]).toEqual([202, 1]);
  });
});

describe('every answer', () => {
  it.each([
    ['GET', '/me', 200],
    ['GET', '/imgs', 200],
    ['GET', '/imgs/missing', 404],
    ['GET', '/nope', 404],
    ['POST', '/me', 405],
    ['OPTIONS', '/imgs', 204],
    ['GET', '/imgs?limit=0', 422],
    ['DELETE', '/imgs/a', 202],
    ['GET', '/health', 200],
  ])('carries the version and an id of the request: %s %s', async (method, path, status) => {
    const answer = await client.rest(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('api-version')).toBe('1.0.0');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['trace-1:a.b_C', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['a b', false],
    ['', false],
  ])('carries the id that the request brought, where it is a plain one: %s', async (id, isKept) => {
    const { headers } = await client.rest('GET', '/me', undefined, { 'X-Request-Id': id });
    expect(headers.get('x-request-id') === id).toBe(isKept);
  });
});
