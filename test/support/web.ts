import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a server answers: by ranges where it is asked for them, or always as a whole. */
export type Habit = 'ranges' | 'whole' | 'chunks';

export type Web = Readonly<{
  url: string;
  /** What was asked for so far, as `Range` headers. */
  ranges: (string | undefined)[];
  close(): Promise<void>;
}>;

/** A local server that sends bytes or answers as configured. */
export async function serveWeb(listener: http.RequestListener): Promise<Web> {
  const ranges: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    ranges.push(request.headers.range);
    response.on('error', () => {});
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ranges,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Gives bytes by a habit. */
export function give(
  bytes: Buffer,
  habit: Habit,
  { headers }: http.IncomingMessage,
  response: http.ServerResponse,
  more: Readonly<Record<string, string>> = {},
): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (habit === 'ranges' && first !== undefined) {
    if (bytes.length === 0) {
      response.writeHead(416, { 'content-range': 'bytes */0' }).end();
      return;
    }
    const end = Math.min(Number(last) + 1, bytes.length);
    response.writeHead(206, { ...more, 'content-range': `bytes ${first}-${end - 1}/${bytes.length}` });
    response.end(bytes.subarray(Number(first), end));
    return;
  }
  response.writeHead(200, habit === 'whole' ? { ...more, 'content-length': String(bytes.length) } : more);
  response.end(bytes);
}
