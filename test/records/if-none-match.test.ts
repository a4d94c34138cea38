import { describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
});

const body = (title: string) => ({ src_path: 'a.png', title });
const titleOf = async (id: string) => (await client.rest('GET', `/imgs/${id}?fields=title`)).body.title;
const failed = [412, { code: 'precondition_failed', detail: 'A record with this id exists' }];

describe.each(['POST', 'PUT'] as const)('%s with If-None-Match: *', (method) => {
  const send = async (id: string, title: string, query = '?wait=true', tag = '*') => {
    const answer = await client.rest(method, `/imgs/${id}${query}`, body(title), { 'If-None-Match': tag });
    return [answer.status, answer.body];
  };

  it('creates a record that does not exist', async () => {
    const done = { method: method === 'POST' ? 'add' : 'upd', num_good: 1, num_bad: 0 };
    expect(await send(`${method}-new`, 'first')).toEqual([201, expect.objectContaining(done)]);
    expect(await titleOf(`${method}-new`)).toBe('first');
  });

  it('is 412 for one that exists, and leaves it as it is', async () => {
    const id = `${method}-old`;
    await client.write('POST', `/imgs/${id}`, body('first'));
    for (const query of ['?wait=true', '', '?wait=true&upsert=true', '?wait=true&strict=true'])
      expect(await send(id, 'second', query)).toEqual(failed);
    expect(await titleOf(id)).toBe('first');
  });

  it('creates one of several that are sent at once', async () => {
    const id = `${method}-race`;
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => send(id, `t${i}`)));
    expect(answers.map(([status]) => status).toSorted()).toEqual([201, 412, 412, 412, 412, 412]);
    expect(await titleOf(id)).toBe(`t${answers.findIndex(([status]) => status === 201)}`);
  });

  it('takes no tags', async () => {
    const [status, { detail }] = await send(`${method}-tag`, 'x', '', '"abc"');
    expect([status, detail[0].loc]).toEqual([422, ['header', 'If-None-Match']]);
  });
});

describe.each(['PATCH', 'DELETE'] as const)('%s with If-None-Match: *', (method) => {
  const send = async (id: string, query: string) => {
    const sent = method === 'PATCH' ? { title: 'second' } : undefined;
    const answer = await client.rest(method, `/imgs/${id}${query}`, sent, { 'If-None-Match': '*' });
    return [answer.status, answer.body];
  };

  it('is 412 for a record that exists, and leaves it as it is', async () => {
    const id = `${method}-kept`;
    await client.write('POST', `/imgs/${id}`, body('first'));
    for (const query of ['?wait=true', '']) expect(await send(id, query)).toEqual(failed);
    expect(await titleOf(id)).toBe('first');
  });

  it('finds no record to write otherwise', async () => {
    const errors = [expect.objectContaining({ code: 'not_found' })];
    expect(await send(`${method}-none`, '?wait=true')).toEqual([200, expect.objectContaining({ num_bad: 1, errors })]);
  });
});

it('is refused beside If-Match, which requires a record', async () => {
  await client.write('POST', '/imgs/both', body('first'));
  const headers = { 'If-None-Match': '*', 'If-Match': '*' };
  const { status, body: answer } = await client.rest('PUT', '/imgs/both?wait=true', body('second'), headers);
  expect([status, answer.detail[0].loc]).toEqual([422, ['header', 'If-None-Match']]);
  expect(await titleOf('both')).toBe('first');
});

it('is met by the only record of a batch, and refused for several, as If-Match is', async () => {
  await client.write('POST', '/imgs/batch', body('first'));
  const one = [{ id: 'batch', title: 'second' }];
  const headers = { 'If-None-Match': '*' };
  const { status, body: answer } = await client.rest('PATCH', '/imgs?wait=true', one, headers);
  expect([status, answer]).toEqual(failed);
  for (const name of ['If-Match', 'If-None-Match']) {
    for (const [query, sent] of [
      ['', [...one, { id: 'other' }]],
      ['?q=*', { title: 'second' }],
    ] as const) {
      const refused = await client.rest('PATCH', `/imgs${query}`, sent, { [name]: '*' });
      expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['header', name]]);
    }
  }
  expect(await titleOf('batch')).toBe('first');
});

it('over GraphQL, ifNoneMatch is about one element', async () => {
  const images = 'images: [{ id: "g", srcPath: "a.png" }, { id: "h", srcPath: "a.png" }]';
  const { errors } = await client.graphql(`mutation { createImages(${images}, ifNoneMatch: "*") { __typename } }`);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_argument', argument: 'ifNoneMatch' });
});
