import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import { SetupError } from '../lib/errors.ts';
import { packageRoot, packageVersion } from '../lib/package-root.ts';
import type { WatchConfig } from '../config/run-config.ts';

/** Packages that send traces; users who want traces install them themselves. */
export const tracePackages = [
  '@opentelemetry/sdk-trace-node@2',
  '@opentelemetry/exporter-trace-otlp-http@0.223',
] as const;

let isOn = false;

/** The parts of the packages that are used. */
type Sdk = Readonly<{
  NodeTracerProvider: new (options: unknown) => Readonly<{ register(): void; shutdown(): Promise<void> }>;
  BatchSpanProcessor: new (exporter: unknown) => unknown;
}>;
type Exporter = Readonly<{ OTLPTraceExporter: new (options: Readonly<{ url: string }>) => unknown }>;
type Resources = Readonly<{ resourceFromAttributes(attributes: Attributes): unknown }>;

/**
 * Starts to send traces if a collector is configured.
 *
 * @returns a function that sends what is waiting and stops.
 * @throws SetupError that names the command, if the packages are not installed.
 */
export async function startTracing({ traceEndpoint, serviceName }: WatchConfig): Promise<() => Promise<void>> {
  if (traceEndpoint === undefined) return async () => {};
  const sdk = await load<Sdk>('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await load<Exporter>('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await load<Resources>('@opentelemetry/resources', '@opentelemetry/sdk-trace-node');
  const exporter = new OTLPTraceExporter({ url: `${traceEndpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': packageVersion }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  // Tracing follows asynchronous calls, which slows down every promise, so it starts only here, and never if traces
  // are off.
  provider.register();
  isOn = true;
  return async () => {
    isOn = false;
    await provider.shutdown().catch(() => {}); // An unavailable collector must not keep the process from ending.
    trace.disable();
    context.disable();
    propagation.disable();
  };
}

/** Loads a package next to this program or in the current folder; a dependency is loaded from where its owner finds it. */
async function load<T>(name: string, owner?: string): Promise<T> {
  const places = [packageRoot, process.cwd()].map((folder) => join(folder, 'package.json'));
  for (const place of places) {
    try {
      const from = createRequire(place);
      const path = owner === undefined ? from.resolve(name) : createRequire(from.resolve(owner)).resolve(name);
      return (await import(pathToFileURL(path).href)) as T;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new SetupError(
    `OTEL_EXPORTER_OTLP_ENDPOINT is set, but ${name} is not installed.\n` +
      `Run: npm install --no-save ${tracePackages.join(' ')}`,
  );
}

/** Whether traces are sent; checked before creating anything for them. */
export function isTracing(): boolean {
  return isOn;
}

/** Runs `work` inside a span if traces are sent. */
export function withSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!isOn) return work();
  return tracer().startActiveSpan(name, { attributes }, (span) => ended(span, work));
}

/** Sets attributes of the current span. */
export function describeSpan(attributes: Attributes): void {
  if (isOn) trace.getActiveSpan()?.setAttributes(attributes);
}

/** What is known of a request when it ends. */
type TracedRequest = Readonly<{
  method: string;
  requestId: string;
  header(name: string): string | undefined;
  route: string;
  status: number;
}>;

/** Runs a request inside a span that continues the caller's trace. */
export function withRequestSpan(request: TracedRequest, work: () => Promise<void>): Promise<void> {
  const within = propagation.extract(ROOT_CONTEXT, request, {
    get: (carrier, name) => carrier.header(name),
    keys: () => propagation.fields(),
  });
  const attributes = { 'http.request.method': request.method, 'vitrine.request_id': request.requestId };
  return tracer().startActiveSpan(request.method, { kind: SpanKind.SERVER, attributes }, within, (span) =>
    ended(span, async () => {
      await work();
      span.updateName(`${request.method} ${request.route}`);
      span.setAttributes({ 'http.route': request.route, 'http.response.status_code': request.status });
      if (request.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    }),
  );
}

function tracer() {
  return trace.getTracer('vitrine', packageVersion);
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}
