import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { lockDataDir, openBacking } from './backing/index.ts';
import type { Backing, Probe } from './backing/index.ts';
import { createSourceOpener, createSourceReader } from './catalog/index.ts';
import type { SourceReader } from './catalog/index.ts';
import type { Config } from './config.ts';
import { SetupError } from './errors.ts';
import { createServer } from './http/server.ts';
import type { Handler } from './http/server.ts';
import type { Logger } from './logger.ts';
import { watchProcess } from './metrics/index.ts';
import { measure } from './metrics-sources.ts';
import { openSight, startWorker } from './operations/index.ts';
import type { OperationWorker, Sight } from './operations/index.ts';
import { TenantIndexes } from './search/index.ts';
import { packageVersion } from './package-root.ts';
import { readiness, starting } from './readiness.ts';
import { createHandler } from './server.ts';
import type { App } from './server.ts';
import { openStatusServer } from './status-server.ts';
import { startTracing } from './tracing.ts';
import { ensureFirstTenant, openAccess } from './tenants/index.ts';
import type { Access, FirstKey } from './tenants/index.ts';

/** What fingerprints in memory may take: some five million images, of tenants that searched last. */
const similarityBytes = 2 * 1024 ** 3;
/** How long running work may take to end after SIGTERM. */
const drainMs = 30_000;
/** Before that, requests that wait for another process answer with what they have. */
const hurryMs = 25_000;
/** What closing the database and the queue may take on top. */
const closeMs = 10_000;

export type RunningService = Readonly<{
  url: string;
  firstKey: FirstKey | null;
  backing: Backing;
  /** Takes no new requests, lets running elements end, closes everything. */
  close(): Promise<void>;
}>;

/**
 * Starts the roles of the configuration. The port is taken first, so that a busy one is told at
 * once; requests that come before everything is ready wait.
 */
export async function serve(config: Config, logger: Logger): Promise<RunningService> {
  watchProcess();
  const stopTracing = await startTracing(config.watch);
  const stopping = new AbortController();
  const hurry = new AbortController();
  let setApp: (app: App) => void = () => {};
  const ready = new Promise<App>((resolve) => (setApp = resolve));
  let handler: Handler = (request, response) => void ready.then((made) => made(request, response));
  const server = createServer((request, response) => handler(request, response));
  server.on('upgrade', (request, socket, head) => void ready.then(({ live }) => live.upgrade(request, socket, head)));
  const hasApi = config.role !== 'worker';
  let probes: readonly Probe[] | null = null;
  let status: Server | null = null;
  try {
    if (hasApi) await listen(server, config);
    status = await openStatusServer(config, async () => (probes === null ? starting : readiness(probes)));
    const unlock = config.databaseUrl === undefined ? lockDataDir(config.dataDir) : () => {};
    const backing = await openBacking(config, logger, { ownsDataDir: true });
    probes = backing.probes;
    const firstKey = await ensureFirstTenant(backing.database, config);
    const { database, notifications, queue } = backing;
    const readSource = createSourceReader(config);
    const sight = openSight({ ai: config.ai, threads: config.workers, logger });
    const worker = config.role === 'api' ? null : beginWork(config, backing, { logger, readSource, sight });
    const { corsOrigins, baseUrl } = config;
    const access = openAccess(backing, config, logger);
    const similar = new TenantIndexes(similarityBytes, config.workers);
    const app = createHandler(
      { database, notifications, queue, logger, access, sight, readSource, similar },
      { corsOrigins, baseUrl, stopping: stopping.signal, hurry: hurry.signal, probes: backing.probes },
    );
    handler = app;
    setApp(app);
    const remove = measure({ backing, sight, similar, version: packageVersion, role: config.role });
    const stopWatching = async () => {
      remove();
      await stopTracing();
    };
    const url = config.baseUrl ?? addressOf(server, config);
    return {
      url,
      firstKey,
      backing,
      close: () =>
        close({ server, app, worker, sight, similar, access, backing, status, unlock, stopWatching, stopping, hurry }),
    };
  } catch (error) {
    for (const each of [server, status]) {
      each?.close();
      each?.closeAllConnections();
    }
    throw error;
  }
}

type Reading = Readonly<{ logger: Logger; readSource: SourceReader; sight: Sight }>;

function beginWork(config: Config, backing: Backing, { logger, readSource, sight }: Reading): OperationWorker {
  const { database, notifications, queue } = backing;
  return startWorker({
    database,
    notifications,
    queue,
    logger,
    readSource,
    openSource: createSourceOpener(config),
    workers: config.workers,
    analysis: { sight, isDefault: config.ai.isOn },
  });
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or choose another: PORT=4001 npm start`,
        EACCES: `Port ${port} may not be opened by this user. Choose one above 1023: PORT=4000 npm start`,
        EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one that it has.`,
      };
      reject(new SetupError(reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${error.message}`));
    });
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server, { host }: Config): string {
  const address = server.address() as AddressInfo | null;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return address === null ? '' : `http://${name}:${address.port}`;
}

type Open = Readonly<{
  server: Server;
  app: App;
  worker: OperationWorker | null;
  sight: Sight;
  similar: TenantIndexes;
  access: Access;
  backing: Backing;
  status: Server | null;
  unlock: () => void;
  /** Takes no more figures, and sends the traces that wait. */
  stopWatching: () => Promise<void>;
  stopping: AbortController;
  hurry: AbortController;
}>;

/** Ends what runs, in the order in which it depends on each other, and leaves nothing open. */
async function close(open: Open): Promise<void> {
  const { server, app, worker, sight, similar, access, backing, status, stopping, hurry } = open;
  const stuck = setTimeout(() => process.exit(1), drainMs + closeMs);
  const deadline = after(drainMs);
  stopping.abort();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection is idle as soon as its reply is written, and would be kept for the next request.
  const ended = app.live.close(); // Their clients connect again, to another process or the next one.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  // Without a worker in this process, another one may still finish what requests wait for.
  await Promise.race([worker === null ? Promise.race([closed, after(hurryMs)]) : worker.close(), deadline]);
  hurry.abort();
  await ended;
  await Promise.race([closed, deadline]);
  clearInterval(sweep);
  server.closeAllConnections();
  await open.stopWatching();
  status?.close();
  status?.closeAllConnections();
  await sight.close();
  await similar.close();
  await access.close();
  await backing.close();
  open.unlock();
  clearTimeout(stuck);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
