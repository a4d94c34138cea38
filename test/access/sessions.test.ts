import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/operations/retention.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let cookie: string;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client({ role: 'editor' });
});
afterAll(() => world.close());
beforeEach(async () => {
  cookie = await signIn(client.key);
});

type Reply = Readonly<{ status: number; headers: Record<string, string | string[] | undefined>; body: any }>; // oxlint-disable-line no-explicit-any -- what tests look into

/** A request with exactly these headers: `fetch` sends some of its own, and lets none name an origin. */
function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, world.url), { method, headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      incoming.on('end', () => {
        const parsed = text.startsWith('{') ? JSON.parse(text) : text;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

const own = { 'Sec-Fetch-Site': 'same-origin' };

async function signIn(key: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await send('POST', '/app/session', { 'API-Key': key, ...own, ...headers });
  expect(reply.status).toBe(201);
  return String(reply.headers['set-cookie']?.[0]).split(';')[0] ?? '';
}

const ask = (headers: Record<string, string>, query = '{ me { tenant roleName } }') =>
  send(
    'POST',
    '/graphql',
    { 'Content-Type': 'application/json', Cookie: cookie, ...headers },
    JSON.stringify({ query }),
  );

describe('signing in', () => {
  it('turns a key into a cookie that no script can read and no foreign page sends', async () => {
    const reply = await send('POST', '/app/session', { 'API-Key': client.key, ...own });
    expect(reply.body).toMatchObject({ role: 'editor', tenant: 'tenant-1' });
    const [set = ''] = (reply.headers['set-cookie'] ?? []) as string[];
    expect(set).toMatch(/^vitrine_session=vs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
    expect(set).not.toContain(client.key);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it('marks the cookie as secure where the client came by HTTPS', async () => {
    const headers = { 'API-Key': client.key, 'X-Forwarded-Proto': 'https', ...own };
    const reply = await send('POST', '/app/session', headers);
    expect(String(reply.headers['set-cookie'])).toMatch(/; Secure$/);
  });

  it.each([
    ['an unknown key', { 'API-Key': 'vt_nothing' }, 401],
    ['no key', {}, 401],
    ['a page of another origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a page of a sibling domain', { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['an older browser with a foreign origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': '' }, 403],
  ])('is refused to %s', async (_who, headers, status) => {
    const sent: Record<string, string> = { ...own, ...(status === 403 && { 'API-Key': client.key }), ...headers };
    if (sent['Sec-Fetch-Site'] === '') delete sent['Sec-Fetch-Site'];
    const reply = await send('POST', '/app/session', sent);
    expect(reply.status).toBe(status);
    expect(String(reply.headers['set-cookie'] ?? '')).not.toContain('vs_');
  });
});

describe('a session', () => {
  it('stands for its key in GraphQL, REST and who-am-I', async () => {
    expect((await ask(own)).body).toEqual({ data: { me: { tenant: 'tenant-1', roleName: 'editor' } } });
    expect((await send('GET', '/imgs', { Cookie: cookie, ...own })).status).toBe(200);
    expect((await send('GET', '/app/session', { Cookie: cookie, ...own })).body).toMatchObject({ role: 'editor' });
  });

  const allowed: [string, string, Record<string, string>, number][] = [
    ['a write of our page', 'POST', own, 200],
    ['a write that names our origin', 'POST', { Origin: 'OWN' }, 200],
    ['a write with the header of the console', 'POST', { 'X-Vitrine-Console': '1' }, 200],
    ['a write of a foreign page', 'POST', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
    ['a write of a sibling domain', 'POST', { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['a write that no page asked for', 'POST', { 'Sec-Fetch-Site': 'none' }, 403],
    ['a write that names a foreign origin', 'POST', { Origin: 'https://evil.example' }, 403],
    ['a write of a page without an origin', 'POST', { Origin: 'null' }, 403],
    ['a write of another port', 'POST', { Origin: 'http://127.0.0.1:1' }, 403],
    ['a foreign page with the header', 'POST', { 'Sec-Fetch-Site': 'cross-site', 'X-Vitrine-Console': '1' }, 403],
    ['a write that says nothing', 'POST', {}, 403],
    ['a read that says nothing', 'GET', {}, 200],
    ['a read by the address bar', 'GET', { 'Sec-Fetch-Site': 'none' }, 200],
    ['a read of a foreign page', 'GET', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a read of a foreign origin', 'GET', { Origin: 'https://evil.example' }, 403],
  ];
  it.each(allowed)('answers %s (%s) as it should', async (_what, method, headers, status) => {
    const sent = { ...headers, ...(headers['Origin'] === 'OWN' && { Origin: world.url }) };
    const reply = method === 'POST' ? await ask(sent) : await send('GET', '/imgs', { Cookie: cookie, ...sent });
    expect(reply.status).toBe(status);
    if (status === 403) expect(JSON.stringify(reply.body)).toContain('pages of this service only');
  });

  it('is nothing without its own bytes', async () => {
    const altered = cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A');
    for (const wrong of [altered, `vitrine_session=${client.key}`, 'vitrine_session=', 'vitrine_session=vs_1']) {
      expect((await ask({ ...own, Cookie: wrong })).status).toBe(401);
    }
  });

  it('is no API key', async () => {
    const token = cookie.split('=')[1] ?? '';
    expect((await send('GET', '/imgs', { 'API-Key': token })).status).toBe(401);
    expect((await send('POST', '/app/session', { 'API-Key': token, ...own })).status).toBe(401);
  });

  it('gives way to a key that is sent beside it', async () => {
    const other = await world.client({ role: 'viewer' });
    const { body } = await ask({ ...own, 'API-Key': other.key });
    expect(body.data.me.roleName).toBe('viewer');
    expect((await ask({ ...own, 'API-Key': 'vt_wrong' })).status).toBe(401);
  });

  it('reads the records of its tenant only', async () => {
    const other = await world.client();
    await world.picture('of-other.png');
    await other.write('POST', '/imgs/theirs', { src_path: 'of-other.png' });
    expect((await send('GET', '/imgs/theirs', { Cookie: cookie, ...own })).status).toBe(404);
  });

  it('may do what its key may, and no more', async () => {
    const viewer = await world.client({ role: 'viewer' });
    cookie = await signIn(viewer.key);
    const reply = await ask(own, 'mutation { deleteImages(ids: ["a"]) { __typename } }');
    expect(JSON.stringify(reply.body)).toContain("Role 'viewer' may not write images");
  });

  it('ends when its browser signs out, and takes its cookie away', async () => {
    const second = await signIn(client.key);
    const reply = await send('DELETE', '/app/session', { Cookie: cookie, ...own });
    expect(reply.status).toBe(204);
    expect(String(reply.headers['set-cookie'])).toContain(
      'vitrine_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    await expect.poll(async () => (await ask(own)).status, { timeout: 2_000 }).toBe(401);
    expect((await ask({ ...own, Cookie: second })).status).toBe(200);
  });

  it('is not ended by a foreign page', async () => {
    expect((await send('DELETE', '/app/session', { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await ask(own)).status).toBe(200);
  });

  it('ends within a second with its key', async () => {
    const admin = await world.client({ tenant: 'tenant-1' });
    const { data } = await admin.graphql(
      'mutation { createApiKey(name: "short", role: viewer) { secret key { id } } }',
    );
    cookie = await signIn(data.createApiKey.secret);
    expect((await ask(own)).status).toBe(200);
    await admin.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: data.createApiKey.key.id });
    await expect.poll(async () => (await ask(own)).status, { timeout: 1_000, interval: 50 }).toBe(401);
  });

  it('ends after a week, and is then forgotten', async () => {
    const { pool } = world.backing.database;
    await pool.query(`UPDATE session SET expires_at = now() - interval '1 second'`);
    await expect.poll(async () => (await ask(own)).status, { timeout: 2_000 }).toBe(401);
    const reply = await send('GET', '/app/session', { Cookie: cookie, ...own });
    expect([reply.status, String(reply.headers['set-cookie'])]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    await removeExpired(world.backing.database);
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM session');
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('is one of a hundred of its key at most: the oldest ends', async () => {
    const other = await world.client();
    const first = await signIn(other.key);
    for (let index = 0; index < 100; index += 1) await signIn(other.key);
    await expect.poll(async () => (await ask({ ...own, Cookie: first })).status, { timeout: 2_000 }).toBe(401);
  });
});

describe('wrong keys', () => {
  it('are answered twenty times a minute for each address, and a right key always', async () => {
    const replies: Reply[] = [];
    for (let index = 0; index < 22; index += 1) {
      replies.push(await send('POST', '/app/session', { 'API-Key': `vt_${index}`, ...own }));
    }
    expect(replies.map(({ status }) => status)).toContain(401);
    expect(replies.at(-1)?.status).toBe(429);
    expect(Number(replies.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('POST', '/app/session', { 'API-Key': client.key, ...own })).status).toBe(201);
  });
});
