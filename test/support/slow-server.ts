import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** A server that holds every request for pictures until it is released, and then answers with 404. */
export type SlowServer = Readonly<{ waiting: (() => void)[]; url: (name: string) => string }>;

/** Opens one for the tests of a file; what still waits after a test is let go. */
export function openSlowServer(): SlowServer {
  const waiting: (() => void)[] = [];
  const server = createServer((_request, response) => void waiting.push(() => response.writeHead(404).end()));
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterEach(() => {
    for (const release of waiting.splice(0)) release();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { waiting, url: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}` };
}
