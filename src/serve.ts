import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { lockDataDir, openBacking } from './backing/index.ts';
import type { Backing } from './backing/index.ts';
import { createSourceOpener, createSourceReader } from './catalog/index.ts';
import type { Config } from './config.ts';
import { SetupError } from './errors.ts';
import { createServer } from './http/server.ts';
import type { Handler } from './http/server.ts';
import type { Logger } from './logger.ts';
import { openSight, startWorker } from './operations/index.ts';
import type { OperationWorker, Sight } from './operations/index.ts';
import { TenantIndexes } from './search/index.ts';
import { createHandler } from './server.ts';
import type { App } from './server.ts';
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
  const stopping = new AbortController();
  const hurry = new AbortController();
  let setApp: (app: App) => void = () => {};
  const ready = new Promise<App>((resolve) => (setApp = resolve));
  let handler: Handler = (request, response) => void ready.then((made) => made(request, response));
  const server = createServer((request, response) => handler(request, response));
  server.on('upgrade', (request, socket, head) => void ready.then(({ live }) => live.upgrade(request, socket, head)));
  const hasApi = config.role !== 'worker';
  if (hasApi) await listen(server, config);
  try {
    const unlock = config.databaseUrl === undefined ? lockDataDir(config.dataDir) : () => {};
    const backing = await openBacking(config, logger, { ownsDataDir: true });
    const firstKey = await ensureFirstTenant(backing.database, config);
    const { database, notifications, queue } = backing;
    const readSource = createSourceReader(config);
    const sight = openSight({ ai: config.ai, threads: config.workers, logger });
    const similar = new TenantIndexes(similarityBytes, config.workers);
    const worker =
      config.role === 'api'
        ? null
        : startWorker({
            database,
            notifications,
            queue,
            logger,
            readSource,
            openSource: createSourceOpener(config),
            workers: config.workers,
            analysis: { sight, isDefault: config.ai.isOn },
            similar,
          });
    const { corsOrigins, baseUrl } = config;
    const access = openAccess(backing, config, logger);
    const app = createHandler(
      { database, notifications, queue, logger, access, sight, readSource, similar },
      { corsOrigins, baseUrl, stopping: stopping.signal, hurry: hurry.signal },
    );
    handler = app;
    setApp(app);
    const url = config.baseUrl ?? addressOf(server, config);
    return {
      url,
      firstKey,
      backing,
      close: () => close({ server, app, worker, sight, similar, access, backing, unlock, stopping, hurry }),
    };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
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
  unlock: () => void;
  stopping: AbortController;
  hurry: AbortController;
}>;

/** Ends what runs, in the order in which it depends on each other, and leaves nothing open. */
async function close(open: Open): Promise<void> {
  const { server, app, worker, sight, similar, access, backing, unlock, stopping, hurry } = open;
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
  await sight.close();
  await similar.close();
  await access.close();
  await backing.close();
  unlock();
  clearTimeout(stuck);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
