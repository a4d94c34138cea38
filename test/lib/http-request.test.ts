import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpRequest } from '../../src/lib/http-request.ts';

type Seen = Readonly<{ line: string; authorization: string | undefined; proxyAuthorization: string | undefined }>;

let seen: Seen[] = [];
const proxy = createServer((request, response) => {
  note(request);
  response.end('from the server');
});
proxy.on('connect', (request, socket) => {
  note(request);
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
});

function note({ method, url, headers }: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]> }) {
  const { authorization, 'proxy-authorization': proxyAuthorization } = headers as Record<string, string | undefined>;
  seen.push({ line: `${method} ${url}`, authorization, proxyAuthorization });
}

beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)));
afterAll(() => void proxy.close());

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

/** What the proxy sees of a request to an address. */
async function through(address: string, headers: Record<string, string> = {}): Promise<Seen | undefined> {
  seen = [];
  const setting = `http://agency:se%20cret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const proxies = { https: setting, http: setting, none: [] };
  const options = { headers, proxies, idleMs: 5_000, signal: AbortSignal.timeout(5_000) };
  await httpRequest(new URL(address), options).then(
    (answer) => answer.destroy(),
    () => {}, // The tunnel is refused.
  );
  return seen[0];
}

describe('a request through a proxy with a password', () => {
  const proxyAuthorization = basic('agency:se cret');

  it('names the whole address, without its fragment', async () => {
    expect((await through('http://models.invalid/a?b=1#c'))?.line).toBe('GET http://models.invalid/a?b=1');
  });

  it.each(['http://models.invalid/a', 'https://models.invalid/a'])(
    'shows the password to the proxy, and not to the server behind it: %s',
    async (address) => {
      expect(await through(address)).toMatchObject({ authorization: undefined, proxyAuthorization });
    },
  );

  it('keeps the credentials of the server', async () => {
    const own = await through('http://a:b@models.invalid/a');
    expect(own).toEqual({ line: 'GET http://models.invalid/a', authorization: basic('a:b'), proxyAuthorization });
    const { authorization } = (await through('http://models.invalid/a', { Authorization: 'Bearer x' })) ?? {};
    expect(authorization).toBe('Bearer x');
  });
});
