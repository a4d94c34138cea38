import type { Server, ServerResponse } from 'node:http';
import type { Reply } from '../lib/http-contract.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { createServer } from '../http/connection/server.ts';
import { writeMetrics } from '../observability/metrics/index.ts';

/**
 * `/metrics`, `/health` and `/ready` on a separate port for monitoring: no key and no log; workers have no other address.
 *
 * @returns null without METRICS_PORT.
 * @throws SetupError if the port cannot be opened.
 */
export async function openStatusServer(
  { watch: { metricsHost: host, metricsPort: port } }: Pick<Config, 'watch'>,
  ready: () => Promise<Reply>,
): Promise<Server | null> {
  if (port === undefined) return null;
  const paths: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/metrics': async (response) => {
      const { type, text } = await writeMetrics();
      response.writeHead(200, { 'Content-Type': type }).end(text);
    },
    '/health': async (response) => send(response, { status: 200, body: { status: 'ok' } }),
    '/ready': async (response) => send(response, await ready()),
  };
  const server = createServer((request, response) => {
    const answer = paths[(request.url ?? '').split('?', 1)[0] ?? ''];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (answer === undefined) return send(response, { status: 404, body: { detail: 'Not Found' } });
    if (!isRead) return send(response, { status: 405, body: { detail: 'Method Not Allowed' } });
    answer(response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new SetupError(`METRICS_PORT ${port} on ${host} cannot be opened: ${error.message}. Choose another port.`),
      ),
    );
    server.listen(port, host, resolve);
  });
  return server;
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
