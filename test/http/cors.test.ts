import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { responseHeaders } from '../../rest/openapi/headers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const desk = 'https://desk.example.com';
let off: World;
let listed: World;
let open: World;
beforeAll(async () => {
  off = await openWorld({ worker: false });
  listed = await openWorld({ worker: false, http: { corsOrigins: [desk, 'http://localhost:3000'] } });
  open = await openWorld({ worker: false, http: { corsOrigins: ['*'] } });
});
afterAll(async () => {
  for (const world of [off, listed, open]) await world.close();
});

const preflight = (method: string, origin = desk) => ({ Origin: origin, 'Access-Control-Request-Method': method });

function corsOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

describe('another origin', () => {
  it('gets no headers unless it is configured', async () => {
    const client = await off.client();
    for (const [method, headers] of [
      ['GET', { Origin: desk }],
      ['OPTIONS', preflight('GET')],
    ] as const) {
      const answer = await client.rest(method, '/me', undefined, headers);
      expect(corsOf(answer.headers)).toEqual({});
      expect(answer.headers.get('vary') ?? '').not.toContain('Origin');
    }
    const other = await listed.client();
    for (const origin of ['https://evil.example.com', `${desk}.evil.com`, 'http://desk.example.com', 'null', '*']) {
      const answer = await other.rest('GET', '/me', undefined, { Origin: origin });
      expect([origin, corsOf(answer.headers)]).toEqual([origin, {}]);
      expect(answer.headers.get('vary')).toContain('Origin');
      const asked = await other.rest('OPTIONS', '/me', undefined, preflight('GET', origin));
      expect([asked.status, corsOf(asked.headers), asked.headers.get('allow')]).toEqual([
        204,
        {},
        'GET, HEAD, OPTIONS',
      ]);
    }
  });

  it('may read replies, mistakes too, and the headers that say more', async () => {
    const client = await listed.client();
    const replies: [string, string, unknown?][] = [
      ['GET', '/me'],
      ['GET', '/nowhere'],
      ['DELETE', '/me'],
      ['POST', '/imgs', 'not json'],
      ['POST', '/graphql', { query: '{ me { roleName } }' }],
      ['POST', '/graphql', 'not json'],
      ['GET', `/imgs?q=${'a'.repeat(70_000)}`],
    ];
    for (const [method, path, body] of replies) {
      const { headers } = await client.rest(method, path, body, { Origin: desk });
      expect(headers.get('access-control-allow-origin')).toBe(desk);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');
      for (const name of ['X-Total-Count', 'Link', 'X-Request-Id', 'API-Version', 'ETag', 'RateLimit', 'Retry-After']) {
        expect(exposed).toContain(name);
      }
    }
    const { headers } = await createUnknown(client);
    expect(headers.get('access-control-allow-origin')).toBe(desk);
  });

  it('learns by a preflight what it may send, with the methods of the path and without a key', async () => {
    for (const [path, allow] of [
      ['/imgs', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
      ['/me', 'GET, HEAD, OPTIONS'],
      ['/graphql', 'GET, HEAD, OPTIONS, POST'],
      ['/nowhere', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ] as const) {
      const headers = { ...preflight('POST'), 'Access-Control-Request-Headers': 'api-key,content-type' };
      const answer = await fetch(listed.url + path, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(corsOf(answer.headers)).toMatchObject({
        'access-control-allow-origin': desk,
        'access-control-allow-methods': allow,
        'access-control-max-age': '7200',
      });
      const accepted = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
      expect(accepted).toEqual(expect.arrayContaining(['api-key', 'content-type', 'prefer', 'idempotency-key']));
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{10,}$/);
    }
  });

  it('may resume event streams and downloads, speak MCP, and read which part of a file it got', async () => {
    const answer = await fetch(`${listed.url}/formulas/a/events`, { method: 'OPTIONS', headers: preflight('GET') });
    const accepted = (answer.headers.get('access-control-allow-headers') ?? '').split(', ');
    expect(accepted).toEqual(expect.arrayContaining(['If-Range', 'Last-Event-ID', 'MCP-Protocol-Version', 'Range']));
    const { headers } = await (await listed.client()).rest('GET', '/me', undefined, { Origin: desk });
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');
    const names = ['Accept-Ranges', 'Allow', 'Content-Disposition', 'Content-Range', 'Preference-Applied'];
    expect(exposed).toEqual(expect.arrayContaining([...names, ...Object.keys(responseHeaders)]));
  });

  it('is named among what pages, files and pictures differ by, too', async () => {
    const client = await listed.client();
    const { tenant } = (await client.rest('GET', '/me')).body;
    await listed.backing.database.pool.query(
      `INSERT INTO video (tenant_id, video_id, keywords, categories, collections, container, width, height, duration_secs,
                          lang, poster)
       SELECT id, 'v', '{}', '{}', '{}', 'mp4', 10, 10, 1, 'en', 'poster' FROM tenant WHERE name = $1`,
      [tenant],
    );
    for (const path of ['/', '/openapi.json', '/vids/v/poster']) {
      const answer = await client.rest('GET', path, undefined, { Origin: desk });
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 200, desk]);
      expect([path, answer.headers.get('vary')]).toEqual([path, expect.stringContaining('Origin')]);
    }
  });

  it('asks for nothing when it only wants to know the methods', async () => {
    const answer = await fetch(`${listed.url}/me`, { method: 'OPTIONS', headers: { Origin: desk } });
    expect([answer.status, answer.headers.get('allow'), answer.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
      null,
    ]);
  });

  it('may be any, where any is configured, and never with credentials', async () => {
    const client = await open.client();
    const answer = await client.rest('GET', '/me', undefined, { Origin: 'https://anything.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).not.toContain('Origin');
    const asked = await client.rest('OPTIONS', '/imgs', undefined, preflight('DELETE', 'null'));
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });
});

function createUnknown(client: Client) {
  return client.rest('GET', '/imgs/unknown', undefined, { Origin: desk });
}
