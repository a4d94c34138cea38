import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../../src/catalog/source/address-guard.ts';
import { fetchUrl } from '../../../src/catalog/source/fetch-url.ts';
import { fetchLimits } from '../../../src/catalog/source/http-request.ts';
import type { FetchLimits } from '../../../src/catalog/source/http-request.ts';
import { firstOf } from '../../support/effort.ts';

const loopback = createAddressGuard(['127.0.0.0/8', '::1/128']);
const closed = createAddressGuard([]);
const patient: FetchLimits = { maxRedirects: 5, maxBytes: 100_000, connectTimeoutMs: 5_000, totalTimeoutMs: 10_000 };

const servers: net.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    (server as Partial<Server>).closeAllConnections?.();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: net.Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type TestServer = Readonly<{ host: string; url: string; requests: IncomingMessage[] }>;

/** An HTTP server that keeps what it was asked. */
async function serve(answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const host = await listen(
    http.createServer((request, response) => {
      requests.push(request);
      response.on('error', () => {});
      answer(request, response);
    }),
  );
  return { host, url: `http://${host}/`, requests };
}

/** A server that answers each request with bytes of ours, valid HTTP or not; `closed` when a client has left. */
async function serveRaw(
  answer: (socket: Socket) => void,
): Promise<{ host: string; url: string; closed: Promise<void> }> {
  let left = () => {};
  const closed = new Promise<void>((resolve) => (left = resolve));
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', left);
    socket.once('data', () => answer(socket));
  });
  const host = await listen(Object.assign(server, { closeAllConnections: () => sockets.forEach((s) => s.destroy()) }));
  return { host, url: `http://${host}/`, closed };
}

/** Writes `chunk` again and again, as fast as it is read, until the client has left. */
function writeForEver(socket: Socket, chunk: Buffer): void {
  socket.write(chunk, () => {
    if (!socket.destroyed) writeForEver(socket, chunk);
  });
}

/** Calls back once when an answer of `host` has begun to arrive at the reader. */
function onceAnswered(host: string, then: () => void): void {
  const channel = 'http.client.response.finish';
  const heard = (message: unknown) => {
    if (`${(message as { request: http.ClientRequest }).request.getHeader('host')}` !== host) return;
    unsubscribe(channel, heard);
    setImmediate(then);
  };
  subscribe(channel, heard);
}

type Options = Readonly<{ limits?: Partial<FetchLimits>; guard?: typeof closed; signal?: AbortSignal }>;

/** The bytes at an address as text; loopback is allowed unless a guard is given. */
async function read(url: string, { limits, guard = loopback, signal }: Options = {}): Promise<string> {
  const bytes = await fetchUrl(url, { guard, limits: { ...patient, ...limits }, ...(signal && { signal }) });
  return bytes.toString('latin1');
}

const fault = (code: string, message: string) =>
  expect.objectContaining({ name: 'ElementError', code, field: 'src', message });
const unreachable = (reason: string) => fault('source_unreachable', `src cannot be read: ${reason}`);
const notPublic = fault('source_forbidden', 'src points to a non-public address');
const notHttp = fault('source_forbidden', 'src must be an http or https URL');
const withCredentials = fault('source_forbidden', 'src must not contain a user name or password');

describe('an address', () => {
  it('gives the bytes behind it', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    const { url } = await serve((_request, response) => response.end(bytes));
    expect(await fetchUrl(url, { guard: loopback })).toEqual(bytes);
  });

  it('may give nothing at all', async () => {
    const { url } = await serve((_request, response) => response.end());
    expect(await read(url)).toBe('');
  });

  it('is asked for with its path and query, by GET, without a name, a cookie or a compression', async () => {
    const { url, host, requests } = await serve((_request, response) => response.end('x'));
    await read(`${url}a%20b/ñ.jpg?size=1&x=%2F#part`);
    expect(requests.map(({ method, url: path, headers }) => ({ method, path, headers }))).toEqual([
      {
        method: 'GET',
        path: '/a%20b/%C3%B1.jpg?size=1&x=%2F',
        headers: {
          host,
          accept: 'image/*,*/*;q=0.5',
          'accept-encoding': 'identity',
          'user-agent': 'Vitrine',
          connection: 'close',
        },
      },
    ]);
  });

  it('may be a name that is looked up', async () => {
    const { host, requests } = await serve((_request, response) => response.end('x'));
    expect(await read(`http://localhost:${host.split(':')[1]}/`)).toBe('x');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['the number of this host', (host: string) => `http://${host}/`],
    ['a name of this host', (host: string) => `http://localhost:${host.split(':')[1]}/`],
    ['its decimal number', (host: string) => `http://2130706433:${host.split(':')[1]}/`],
    ['its octal number', (host: string) => `http://0177.0.0.1:${host.split(':')[1]}/`],
    ['its hexadecimal number', (host: string) => `http://0x7f000001:${host.split(':')[1]}/`],
    ['its short form', (host: string) => `http://127.1:${host.split(':')[1]}/`],
    ['its number inside IPv6', (host: string) => `http://[::ffff:127.0.0.1]:${host.split(':')[1]}/`],
    ['the address of any interface', (host: string) => `http://0.0.0.0:${host.split(':')[1]}/`],
  ])('that is %s is refused before a connection is made', async (_what, address) => {
    const { host, requests } = await serve((_request, response) => response.end('secret'));
    await expect(read(address(host), { guard: closed })).rejects.toThrow(notPublic);
    expect(requests).toEqual([]);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/a', 'data:image/png;base64,AA', 'ws://127.0.0.1/', 'javascript:1'])(
    '%s is refused',
    async (url) => {
      await expect(read(url)).rejects.toThrow(notHttp);
    },
  );

  it.each(['user:password@', 'user@', ':password@'])('with %s in it is refused', async (credentials) => {
    const { host, requests } = await serve((_request, response) => response.end('x'));
    await expect(read(`http://${credentials}${host}/`)).rejects.toThrow(withCredentials);
    expect(requests).toEqual([]);
  });

  it.each([204, 206, 304, 400, 401, 403, 404, 410, 429, 500, 503])('that answers %i is not read', async (status) => {
    const { url } = await serve((_request, response) => response.writeHead(status).end());
    await expect(read(url)).rejects.toThrow(unreachable(`the server answered ${status}`));
  });

  it('where no one listens is not reachable, and the error does not name the address', async () => {
    const { url } = await serve(() => {});
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    await expect(read(url)).rejects.toThrow(unreachable('ECONNREFUSED'));
  });

  it('of a name that does not exist is not reachable', async () => {
    await expect(read('http://no-such-host.invalid/')).rejects.toThrow(
      fault('source_unreachable', expect.stringMatching(/^src cannot be read: (ENOTFOUND|EAI_AGAIN)$/) as string),
    );
  });

  it('where the server speaks no TLS is not reachable by https', async () => {
    const { host } = await serve((_request, response) => response.end('x'));
    await expect(read(`https://${host}/`)).rejects.toMatchObject({ code: 'source_unreachable', field: 'src' });
  });
});

describe('a redirect', () => {
  /** Redirects each path to the next one: `/3` to `/2`, and so on; `/0` answers. */
  const countdown: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(302, { location: `/${left - 1}` }).end('not this');
  };
  const to =
    (location: string, status = 302): RequestListener =>
    (_request, response) =>
      response.writeHead(status, { location }).end();

  it.each([301, 302, 303, 307, 308])('of status %i is followed', async (status) => {
    const target = await serve((_request, response) => response.end('arrived'));
    const { url } = await serve(to(`${target.url}b?c=d`, status));
    expect(await read(url)).toBe('arrived');
    expect(target.requests.map((request) => request.url)).toEqual(['/b?c=d']);
  });

  it('is followed five times', async () => {
    const { url, requests } = await serve(countdown);
    expect(await read(`${url}5`)).toBe('arrived');
    expect(requests.map((request) => request.url)).toEqual(['/5', '/4', '/3', '/2', '/1', '/0']);
  });

  it('is not followed a sixth time', async () => {
    const { url, requests } = await serve(countdown);
    await expect(read(`${url}6`)).rejects.toThrow(unreachable('too many redirects'));
    expect(requests).toHaveLength(6);
  });

  it('to itself ends after five rounds', async () => {
    const { url, requests } = await serve(to('/'));
    await expect(read(url)).rejects.toThrow(unreachable('too many redirects'));
    expect(requests).toHaveLength(6);
  });

  it.each([
    ['a private number', 'http://10.0.0.1/', notPublic],
    ['a metadata service', 'http://169.254.169.254/latest/meta-data/', notPublic],
    ['a private number without its scheme', '//192.168.1.1/', notPublic],
    ['a private number in octal', 'http://0300.0250.1.1/', notPublic],
    ['a private number inside IPv6', 'http://[::ffff:10.0.0.1]/', notPublic],
    ['a private IPv6 number', 'http://[fd00::1]/', notPublic],
    ['a private number by https', 'https://10.0.0.1/', notPublic],
    ['a file', 'file:///etc/passwd', notHttp],
    ['data', 'data:image/png;base64,AA', notHttp],
    ['another protocol', 'gopher://127.0.0.1/', notHttp],
    ['an address with a password', 'http://user:password@127.0.0.1/', withCredentials],
    ['no valid address', 'http://[', unreachable('a redirect points to an invalid URL')],
  ])('to %s is refused', async (_what, location, expected) => {
    const { url, requests } = await serve(to(location));
    await expect(read(url)).rejects.toThrow(expected);
    expect(requests).toHaveLength(1);
  });

  it('to a name of an address that is not allowed is refused when the name is looked up', async () => {
    const secret = await serve((_request, response) => response.end('secret'));
    const { url, requests } = await serve(to(`http://localhost:${secret.host.split(':')[1]}/`));
    const guard = {
      ...closed,
      checkHost: loopback.checkHost,
    };
    await expect(read(url, { guard })).rejects.toThrow(notPublic);
    expect([requests.length, secret.requests.length]).toEqual([1, 0]);
  });

  it('is judged at every hop, also behind one that was allowed', async () => {
    const second = await serve(to('http://10.0.0.1/'));
    const { url } = await serve(to(second.url));
    await expect(read(url)).rejects.toThrow(notPublic);
    expect(second.requests).toHaveLength(1);
  });

  it('without a location is no redirect', async () => {
    const { url } = await serve((_request, response) => response.writeHead(302).end());
    await expect(read(url)).rejects.toThrow(unreachable('the server answered 302'));
  });

  it('is followed without reading its body, and its connection is closed', async () => {
    const target = await serve((_request, response) => response.end('arrived'));
    const { url, closed: left } = await serveRaw((socket) => {
      socket.write(`HTTP/1.1 302 Found\r\nLocation: ${target.url}\r\n\r\n`);
      writeForEver(socket, Buffer.alloc(65_536));
    });
    expect(await read(url)).toBe('arrived');
    await left;
  });
});

describe('the size of a source', () => {
  const tooLarge = fault('too_large', 'the source is larger than 0.25 MiB');
  const limits = { maxBytes: 2 ** 18 };

  it('may be the limit itself, announced or not', async () => {
    const bytes = Buffer.alloc(2 ** 18, 'x');
    const announced = await serve((_request, response) => response.end(bytes));
    const streamed = await serve((_request, response) => {
      response.write(bytes.subarray(1));
      response.end('x');
    });
    expect(await read(announced.url, { limits })).toHaveLength(2 ** 18);
    expect(await read(streamed.url, { limits })).toHaveLength(2 ** 18);
  });

  it('is refused by its announcement, without reading on', async () => {
    const { url, closed: left } = await serveRaw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 18 + 1}\r\n\r\n`),
    );
    await expect(read(url, { limits })).rejects.toThrow(tooLarge);
    await left;
  });

  it('is refused one byte beyond the limit when it was not announced', async () => {
    const { url } = await serve((_request, response) => {
      response.write(Buffer.alloc(2 ** 18));
      response.end('x');
    });
    await expect(read(url, { limits })).rejects.toThrow(tooLarge);
  });

  it.each([
    ['until the connection closes', '', Buffer.alloc(65_536)],
    [
      'in chunks',
      'Transfer-Encoding: chunked\r\n',
      Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]),
    ],
  ])('is refused when a stream %s never ends, and the connection is closed', async (_what, header, chunk) => {
    const { url, closed: left } = await serveRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
      writeForEver(socket, chunk);
    });
    await expect(read(url, { limits })).rejects.toThrow(tooLarge);
    await left;
  });

  it.each(firstOf(1, ['gzip', 'deflate', 'br', 'zstd']))(
    'is what was sent: nothing of %s is unfolded',
    async (encoding) => {
      const folded = gzipSync(Buffer.alloc(100_000_000));
      const { url } = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'image/png' }).end(folded),
      );
      expect(Buffer.from(await read(url, { limits }), 'latin1')).toEqual(folded);
    },
  );

  it('is 64 MiB at most by default, after 5 redirects, 10 s to connect and 60 s in all', () => {
    expect(fetchLimits).toEqual({
      maxRedirects: 5,
      maxBytes: 67_108_864,
      connectTimeoutMs: 10_000,
      totalTimeoutMs: 60_000,
    });
  });
});

describe('an answer that is not whole', () => {
  const head = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['announces more bytes than it gives', `${head}Content-Length: 9\r\n\r\nabc`],
    ['breaks off inside a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`],
    ['lacks its last chunk', `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
    ['ends inside its headers', `${head}Content-Le`],
    ['is nothing', ''],
  ])('because it %s is refused', async (_what, answer) => {
    const { url } = await serveRaw((socket) => socket.end(answer));
    await expect(read(url)).rejects.toThrow(unreachable('ECONNRESET'));
  });

  it('because the connection is reset is refused, also if only its end would have shown the length', async () => {
    const { url, host } = await serveRaw((socket) => {
      onceAnswered(host, () => socket.resetAndDestroy());
      socket.write(`${head}\r\nabc`);
    });
    await expect(read(url)).rejects.toThrow(unreachable('ECONNRESET'));
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['has endless headers', `${head}X: ${'a'.repeat(100_000)}`, 'HPE_HEADER_OVERFLOW'],
    ['has two lengths', `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  ])('because it %s is refused', async (_what, answer, reason) => {
    const { url } = await serveRaw((socket) => socket.write(answer));
    await expect(read(url)).rejects.toThrow(unreachable(reason));
  });

  it('because it comes in too many small pieces is refused, and the connection is closed', async () => {
    const { url, closed: left } = await serveRaw((socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      writeForEver(socket, Buffer.from('1\r\na\r\n'.repeat(1000)));
    });
    await expect(read(url)).rejects.toThrow(unreachable('it comes in too many small pieces'));
    await left;
  });

  it('after endless interim responses is refused, and the connection is closed', async () => {
    const { url, closed: left } = await serveRaw((socket) =>
      writeForEver(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))),
    );
    await expect(read(url)).rejects.toThrow(unreachable('too many interim responses'));
    await left;
  });

  it('because the server switches to another protocol is refused at once', async () => {
    const { url, closed: left } = await serveRaw((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    await expect(read(url)).rejects.toThrow(unreachable('no answer'));
    await left;
  });
});

describe('a server that is slow', () => {
  const noConnection = unreachable('no connection within 0.1 s');
  const noAnswer = unreachable('no complete answer within 0.3 s');
  const hasty = { totalTimeoutMs: 300 };

  it('to shake hands is given up after the time to connect', async () => {
    const { host, closed: left } = await serveRaw(() => {});
    await expect(read(`https://${host}/`, { limits: { connectTimeoutMs: 100 } })).rejects.toThrow(noConnection);
    await left;
  });

  it('to answer has all the time there is, once it is connected', async () => {
    const { url } = await serve((_request, response) => setTimeout(() => response.end('late'), 400));
    expect(await read(url, { limits: { connectTimeoutMs: 250 } })).toBe('late');
  });

  it.each([
    ['and never answers', ''],
    ['and stops inside its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['and only asks to wait', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['and stops inside a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
    ['and stops inside a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc'],
    ['and stops inside a body of unknown length', 'HTTP/1.1 200 OK\r\n\r\nabc'],
  ])('%s is given up after the time for all', async (_what, answer) => {
    const { url, closed: left } = await serveRaw((socket) => socket.write(answer));
    await expect(read(url, { limits: hasty })).rejects.toThrow(noAnswer);
    await left;
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX: '],
    ['a body', 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('because it sends %s drop by drop is given up after the time for all', async (_what, start) => {
    const { url, closed: left } = await serveRaw((socket) => {
      socket.write(start);
      const drops = setInterval(() => socket.write('a'), 5);
      socket.once('close', () => clearInterval(drops));
    });
    await expect(read(url, { limits: hasty })).rejects.toThrow(noAnswer);
    await left;
  });

  it('at each of several hops is given up after the time for all of them', async () => {
    const { url } = await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 80);
    });
    await expect(read(url, { limits: hasty })).rejects.toThrow(noAnswer);
  });
});

describe('the signal of the caller', () => {
  const reason = new Error('the operation was aborted');

  it('ends a fetch before it begins', async () => {
    const { url, requests } = await serve((_request, response) => response.end('x'));
    await expect(read(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  it('ends a fetch that waits for its answer with its own reason, and closes the connection', async () => {
    const controller = new AbortController();
    const { url, closed: left } = await serveRaw(() => controller.abort(reason));
    await expect(read(url, { signal: controller.signal })).rejects.toBe(reason);
    await left;
  });

  it.each([
    ['known', 'Content-Length: 9\r\n'],
    ['unknown', ''],
  ])('ends a fetch inside a body of %s length with its own reason', async (_what, header) => {
    const controller = new AbortController();
    const {
      url,
      host,
      closed: left,
    } = await serveRaw((socket) => {
      onceAnswered(host, () => controller.abort(reason));
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\nabc`);
    });
    await expect(read(url, { signal: controller.signal })).rejects.toBe(reason);
    await left;
  });

  it('leaves a fetch alone that it does not end', async () => {
    const { url } = await serve((_request, response) => response.end('x'));
    expect(await read(url, { signal: new AbortController().signal })).toBe('x');
  });
});
