import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as a receiver got it. */
export type Received = Readonly<{ headers: Record<string, string>; body: string; json: any; at: number }>; // oxlint-disable-line no-explicit-any -- what tests look into

/** How a receiver answers a message, or null for never. */
export type Answer = (message: Received, count: number) => number | null | Promise<number | null>;

/** A real HTTP server that takes messages of webhooks. */
export async function openReceiver(answer: Answer = () => 204, headers: Record<string, string> = {}) {
  const received: Received[] = [];
  let current = answer;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const body = Buffer.concat(parts).toString();
      const message = { headers: plain(request.headers), body, json: JSON.parse(body), at: performance.now() };
      received.push(message);
      const status = await current(message, received.length);
      if (status !== null) response.writeHead(status, headers).end('noted');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (next: Answer) => (current = next),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
