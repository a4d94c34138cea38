import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { tracePackages } from '../../src/observability/tracing.ts';
import { cloneDatabase } from '../support/database.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';

const key = 'a-key-for-the-test-of-traces';

/** node_modules with the packages, where they are not beside the service: TRACE_PACKAGES=/somewhere/node_modules. */
const folder = process.env['TRACE_PACKAGES'];
const isInstalled = (() => {
  try {
    const from = createRequire(folder === undefined ? join(packageRoot, 'package.json') : join(folder, 'package.json'));
    return (
      from.resolve('@opentelemetry/sdk-trace-node') && from.resolve('@opentelemetry/exporter-trace-otlp-http') !== ''
    );
  } catch {
    return false;
  }
})();

type Attribute = Readonly<{ key: string; value: Readonly<Record<string, unknown>> }>;
type Span = Readonly<{ name: string; traceId: string; parentSpanId?: string; attributes: readonly Attribute[] }>;

/** A collector that keeps what it is sent. */
async function openCollector() {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { spans, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('traces', () => {
  let close = async () => {};
  afterAll(() => close());

  it.skipIf(isInstalled)(
    'that are asked for without the packages that send them are a fault that names the command',
    async () => {
      const started = run(['serve'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', DATA_DIR: newFolder() });
      expect(await started.ended).toBe(1);
      expect(started.output()).toContain(`Run: npm install --no-save ${tracePackages.join(' ')}`);
    },
  );

  it.skipIf(!isInstalled)(
    'of requests continue those of callers, and operations say their number (skipped: not installed)',
    async () => {
      const database = await cloneDatabase(inject('postgresUrl'));
      const collector = await openCollector();
      close = async () => {
        collector.server.close();
        await database.drop();
      };
      const service = await start({
        DATABASE_URL: database.url,
        DATA_DIR: newFolder(),
        ADMIN_API_KEY: key,
        LOG_LEVEL: 'warn',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...(folder !== undefined && { NODE_PATH: folder }),
      });
      const client = createClient(service.url, key);
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      await client.rest('GET', '/imgs/none', undefined, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
      const { operation_id: id } = await client.write('DELETE', '/imgs/none');
      expect(await stop(service)).toBe(0);
      const read = collector.spans.find(({ name }) => name === 'GET /imgs/{image_id}');
      expect(read).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
      expect(read?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 404 } });
      const named = { key: 'vitrine.operation_id', value: { intValue: id } };
      const withOperation = collector.spans.filter(({ attributes }) =>
        attributes.some((each) => JSON.stringify(each) === JSON.stringify(named)),
      );
      expect(withOperation.map(({ name }) => name).toSorted()).toEqual(['DELETE /imgs/{image_id}', 'operation store']);
    },
  );
});
