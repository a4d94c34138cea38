import type { Server } from 'node:http';
import process from 'node:process';
import type { Backing } from '../backing/index.ts';
import { closeAll } from '../lib/close-all.ts';
import { AppError } from '../lib/errors.ts';
import { requestsInProgress } from '../http/connection/in-progress.ts';
import type { HttpServer } from '../http/connection/server.ts';
import type { Logger } from '../observability/logger.ts';
import type { OperationWorker } from '../operations/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import type { Indexer } from '../search/index.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import type { Previews } from '../previews/index.ts';
import type { App } from './server.ts';
import type { Access } from '../tenants/index.ts';

/** Time for running work to end after SIGTERM. */
const drainMs = 30_000;
/** Earlier deadline, at which requests that wait for another process answer with their current state, and slow bodies are refused. */
const hurryMs = 25_000;
/** Additional time for closing the database and the queue. */
const closeMs = 10_000;
/** How long a connection may continue to send a request that will be refused. */
const graceMs = 2_000;
/** Interval of log lines that report what closing waits for. */
const logEveryMs = 2_000;
/** Maximum requests that one log line lists. */
const maxNamed = 10;

/** Phases of closing, which request handlers check. */
export type Phases = Readonly<Record<'draining' | 'stopping' | 'hurry' | 'cut', AbortController>>;

/** Phases of which none has begun. */
export function openPhases(): Phases {
  const begin = () => new AbortController();
  return { draining: begin(), stopping: begin(), hurry: begin(), cut: begin() };
}

/** Parts that only processes with the role `api` have. */
export type Api = Readonly<{ server: HttpServer; app: App; access: Access }>;

/** Monitoring: the status port, metrics, traces. */
type Watch = Readonly<{
  status: Server | null;
  stops: readonly (() => void)[];
  stopTracing: () => Promise<void>;
}>;

export type Open = Readonly<{
  api: Api | null;
  worker: OperationWorker | null;
  indexer: Indexer | null;
  imageAnalyzer: ImageAnalyzer;
  previews: Previews | null;
  similar: TenantIndexes;
  backing: Backing;
  watch: Watch;
  unlock: () => void;
  phases: Phases;
}>;

/** Closes everything in the order of dependencies. */
export async function close(open: Open, logger: Logger): Promise<void> {
  const { api, worker, indexer, imageAnalyzer, previews, similar, backing, watch, unlock, phases } = open;
  const stuck = setTimeout(() => process.exit(1), drainMs + closeMs);
  const deadline = after(drainMs);
  phases.stopping.abort();
  void after(hurryMs).then(() => phases.cut.abort());
  const closed = api === null ? Promise.resolve() : endServer(api.server);
  const ended = api?.app.live.close(); // The clients reconnect, to another process or to the next one.
  const steps: Readonly<Record<string, () => unknown>> = {
    // Without a worker in this process, another process may still finish the operations that requests wait for.
    work: () => Promise.race([worker === null ? Promise.race([closed, after(hurryMs)]) : worker.close(), deadline]),
    hurry: () => phases.hurry.abort(new AppError('unavailable', 'The service is stopping')),
    streams: () => ended,
    requests: () => Promise.race([closed, deadline]),
    connections: () => api?.server.closeAllConnections(),
    indexer: () => indexer?.close(),
    metrics: () => watch.stops.forEach((stop) => stop()),
    traces: () => watch.stopTracing(),
    previews: () => previews?.close(),
    pictures: () => imageAnalyzer.close(),
    similarity: () => similar.close(),
    keys: () => api?.access.close(),
    'database and queue': () => backing.close(),
    status: () => watch.status?.close(),
    'connections of status': () => watch.status?.closeAllConnections(),
    lock: unlock,
  };
  await closeInOrder(steps, api?.server ?? null, logger).finally(() => clearTimeout(stuck));
}

/** Closes one part after the other; the log reports the part that is being closed, and the requests in progress. */
async function closeInOrder(
  steps: Readonly<Record<string, () => unknown>>,
  server: HttpServer | null,
  logger: Logger,
): Promise<void> {
  const began = performance.now();
  let current = '';
  const logTimer = setInterval(() => {
    const requests = server === null ? [] : requestsInProgress(server.connections);
    logger.info(
      {
        waitsFor: current,
        seconds: Math.round((performance.now() - began) / 1000),
        connections: server?.connections.size ?? 0,
        requestsInProgress: requests.length,
        requests: requests.slice(0, maxNamed),
      },
      'stopping',
    );
  }, logEveryMs);
  const closers = Object.entries(steps).map(([name, step]) => () => {
    current = name;
    return step();
  });
  await closeAll(closers).finally(() => clearInterval(logTimer));
}

/**
 * Resolves when every connection has ended. A connection is idle once its reply is written, and would be kept open; one that
 * never sent anything counts as busy to node:http, which would wait for its request.
 */
export async function endServer(server: HttpServer): Promise<void> {
  const { connections } = server;
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.closeIdle({ unused: true });
  }, 50);
  const grace = setTimeout(() => connections.closeIdle(), graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(grace);
}

export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
