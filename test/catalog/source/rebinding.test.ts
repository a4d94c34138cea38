import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../../src/catalog/source/address-guard.ts';
import { fetchUrl } from '../../../src/catalog/source/fetch-url.ts';

/** What the name server of an attacker answers, one list for each question; the last one again and again. */
const answers: string[][] = [];
let queries = 0;

// A name that changes its address from one question to the next cannot be had from a real name server.
const guard = createAddressGuard(['127.0.0.1/32'], (_name, _options, callback) => {
  queries += 1;
  const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  callback(
    null,
    next.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
});
const forbidden = expect.objectContaining({ code: 'source_forbidden', field: 'src' });
const servers: http.Server[] = [];

afterEach(async () => {
  answers.length = 0;
  queries = 0;
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A server at an allowed address, and one at the same port of an address that is not. */
async function serve(location?: (port: number) => string): Promise<{ port: number; secrets: string[] }> {
  const open = http.createServer((_request, response) => {
    if (location === undefined) response.end('public');
    else response.writeHead(302, { location: location((open.address() as AddressInfo).port) }).end();
  });
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const { port } = open.address() as AddressInfo;
  const secrets: string[] = [];
  const inside = http.createServer((request, response) => {
    secrets.push(request.url ?? '');
    response.end('secret');
  });
  // Where the system has one loopback address only, nobody listens there, which is as forbidden.
  await new Promise<void>((resolve) => inside.once('error', () => resolve()).listen(port, '127.0.0.2', resolve));
  servers.push(open, inside);
  return { port, secrets };
}

describe('a name whose address changes', () => {
  it('is asked for once: what was judged is what is connected to', async () => {
    const { port, secrets } = await serve();
    answers.push(['127.0.0.1'], ['127.0.0.2']);
    expect((await fetchUrl(`http://rebind.example:${port}/`, { guard })).toString()).toBe('public');
    expect([queries, secrets]).toEqual([1, []]);
  });

  it('is judged again for each hop of a redirect to itself', async () => {
    const { port, secrets } = await serve((own) => `http://rebind.example:${own}/secret`);
    answers.push(['127.0.0.1'], ['127.0.0.2']);
    await expect(fetchUrl(`http://rebind.example:${port}/`, { guard })).rejects.toThrow(forbidden);
    expect([queries, secrets]).toEqual([2, []]);
  });

  it.each([
    ['a private one beside a public one', ['93.184.216.34', '10.0.0.1']],
    ['a private one alone', ['192.168.1.1']],
    ['a metadata service', ['169.254.169.254']],
    ['this host by IPv6', ['::1']],
    ['this host as IPv4 inside IPv6', ['::ffff:127.0.0.2']],
    ['a private network by IPv6', ['2606:4700::1', 'fd00::1']],
    ['no host', ['0.0.0.0']],
  ])('to %s is refused before a connection', async (_what, addresses) => {
    const { port, secrets } = await serve();
    answers.push(addresses);
    await expect(fetchUrl(`http://rebind.example:${port}/`, { guard })).rejects.toThrow(forbidden);
    expect(secrets).toEqual([]);
  });
});
