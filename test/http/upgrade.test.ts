import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { full } from '../support/effort.ts';
import { exchange, openWire } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

const host = 'Host: x\r\n';
const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n';
const last = `GET /ready HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;

/** Whether Node ignores offers itself, after which a connection with a body ends. */
const endsAfterBody = 'shouldUpgradeCallback' in createServer();

/** A request of any method with an offer, and a body where it has one. */
function offer(line: string, headers: string, body?: string): string {
  const length = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\n${host}API-Key: ${client.key}\r\n${headers}${length}\r\n${body ?? ''}`;
}

describe('an offer to speak something else', () => {
  it.each([
    ['h2c', h2c],
    ['foo/1', 'Connection: Upgrade\r\nUpgrade: foo/1\r\n'],
    ['TLS/1.0, foo/1', 'Connection: keep-alive, upgrade\r\nUpgrade: TLS/1.0, foo/1\r\n'],
    [
      'a WebSocket where there is none',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n',
    ],
  ])('is ignored for every method, with a body, one request behind the other: %s', async (_, headers) => {
    const record = JSON.stringify({ src: 'http://127.0.0.1:9/x.jpg' });
    const query = JSON.stringify({ query: '{ me { roleName } }' });
    const requests: [string, number][] = [
      [offer('GET /me', headers), 200],
      [offer('HEAD /me', headers), 200],
      [offer('OPTIONS /imgs', headers), 204],
      [offer('POST /graphql', headers, query), 200],
      [offer('POST /imgs/upgraded', headers, record), 202],
      [offer('PUT /imgs/upgraded', headers, record), 202],
      [offer('PATCH /imgs/upgraded', headers, '{"title":"x"}'), 202],
      [offer('DELETE /imgs/upgraded', headers), 202],
      [offer('GET /nowhere', headers), 404],
      [offer('POST /health', headers, '{}'), 405],
    ];
    for (const [request, status] of requests) {
      const wire = await openWire(world.url, { isHead: request.startsWith('HEAD') });
      wire.write(request); // On a kept connection.
      await expect
        .poll(() => wire.received().toString())
        .toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*X-Request-Id`));
      if (!request.startsWith('HEAD')) {
        wire.write(last);
        const hasBody = endsAfterBody && !request.endsWith('\r\n\r\n');
        expect((await wire.ended).map((reply) => reply.status)).toEqual(hasBody ? [status] : [status, 200]);
      }
      wire.socket.destroy();
    }
    const others = requests.filter(([request]) => !request.startsWith('HEAD'));
    const replies = await exchange(world.url, others.map(([request]) => request).join('') + last);
    const statuses = [...others.map(([, status]) => status), 200];
    const firstBody = others.findIndex(([request]) => !request.endsWith('\r\n\r\n'));
    expect(replies.map(({ status }) => status)).toEqual(endsAfterBody ? statuses.slice(0, firstBody + 1) : statuses);
  });

  it('is ignored when the body comes in chunks, piece by piece', async () => {
    const body = JSON.stringify({ query: '{ me { roleName } }' });
    const start = `POST /graphql HTTP/1.1\r\n${host}API-Key: ${client.key}\r\nContent-Type: application/json\r\n${h2c}Transfer-Encoding: chunked\r\n\r\n`;
    const chunks = [...body].map((each) => `1\r\n${each}\r\n`).join('');
    const cut = Math.floor(chunks.length / 2);
    const replies = await exchange(world.url, start, chunks.slice(0, cut), `${chunks.slice(cut)}0\r\n\r\n${last}`);
    expect(replies.map(({ status }) => status)).toEqual(endsAfterBody ? [200] : [200, 200]);
    expect(replies[0]?.body).toContain('admin');
    expect(replies[0]?.headers['connection']).toBe(endsAfterBody ? 'close' : 'keep-alive');
  });

  it('does not let too many or too large headers pass', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `X-${i}: 1\r\n`).join('');
    expect((await exchange(world.url, offer('GET /me', `${h2c}${many}`)))[0]?.status).toBe(431);
    const large = `X: ${'a'.repeat(100_000)}\r\n`;
    expect((await exchange(world.url, offer('GET /me', `${h2c}${large}`)))[0]?.status).toBe(431);
  });

  it('is taken up where it is a WebSocket for GraphQL, also behind other requests', async () => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.close();
    const handshake =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n';
    const wire = await openWire(world.url);
    wire.write(`GET /ready HTTP/1.1\r\n${host}\r\n${offer('GET /me', h2c)}${offer('GET /graphql', handshake)}`);
    await expect
      .poll(() =>
        [
          ...wire
            .received()
            .toString()
            .matchAll(/HTTP\/1.1 (\d+)/g),
        ].map((match) => match[1]),
      )
      .toEqual(['200', '200', '101']);
    wire.socket.destroy();
  });

  it('is refused with our headers where it is a WebSocket that cannot be opened', async () => {
    const wrong =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: short\r\n';
    const [reply] = await exchange(world.url, offer('GET /graphql', wrong));
    const [error] = JSON.parse(reply?.body ?? '').errors;
    expect([reply?.status, error.extensions.code]).toEqual([400, 'invalid_http']);
    expect(reply?.headers['x-request-id']).toBeDefined();
  });
});

const hasJava = spawnSync('java', ['-version']).status === 0;
const program = `
import java.net.URI;
import java.net.http.*;
public class Ask {
  public static void main(String[] given) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < 3; i += 1) for (String path : new String[] { "/me", "/imgs", "/nowhere" }) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(given[0] + path)).header("API-Key", given[1]).build();
      HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println("GET " + path + " " + reply.statusCode() + " " + reply.headers().firstValue("x-request-id").isPresent());
    }
    HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString("{\\"query\\":\\"{ me { roleName } }\\"}");
    HttpRequest post = HttpRequest.newBuilder(URI.create(given[0] + "/graphql")).header("API-Key", given[1])
      .header("Content-Type", "application/json").POST(body).build();
    System.out.println(client.send(post, HttpResponse.BodyHandlers.ofString()).body());
  }
}`;

describe('clients that offer HTTP/2 by themselves', () => {
  it.runIf(hasJava)("are answered: Java's own", full, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-java-'));
    writeFileSync(join(folder, 'Ask.java'), program);
    const { stdout } = await promisify(execFile)('java', [join(folder, 'Ask.java'), world.url, client.key]);
    rmSync(folder, { recursive: true });
    const once = ['GET /me 200 true', 'GET /imgs 200 true', 'GET /nowhere 404 true'];
    expect(stdout.trim().split('\n')).toEqual([...once, ...once, ...once, '{"data":{"me":{"roleName":"admin"}}}']);
  });

  it.runIf(spawnSync('curl', ['--version']).status === 0)('are answered: curl --http2', async () => {
    const args = ['-s', '--http2', '-H', `API-Key: ${client.key}`, `${world.url}/me`, `${world.url}/ready`];
    const { stdout } = await promisify(execFile)('curl', args);
    expect(stdout).toContain('"role_name":"admin"');
    expect(stdout).toContain('"status":"ready"');
  });
});
