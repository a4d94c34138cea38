import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lockDataDir, openBacking } from '../backing/index.ts';
import type { Backing } from '../backing/index.ts';
import { tenantsOfProcess as activeTenants } from '../lib/active-tenants.ts';
import { Answers } from '../lib/answers.ts';
import { closeAll } from '../lib/close-all.ts';
import { after, close, endServer, openPhases } from './closing.ts';
import type { Api, Phases } from './closing.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { requestsInProgress } from '../http/connection/in-progress.ts';
import type { RequestInProgress } from '../http/connection/in-progress.ts';
import type { Previews } from '../previews/index.ts';
import { openAnalyzer } from './open-analyzer.ts';
import { endpointRules } from './open-deliveries.ts';
import { openFiles } from './open-files.ts';
import type { Files } from './open-files.ts';
import { openOperator } from './open-operator.ts';
import { openServicePreviews } from './open-previews.ts';
import { createServer } from '../http/connection/server.ts';
import type { Handler, HttpServer } from '../http/connection/server.ts';
import type { Logger } from '../observability/logger.ts';
import { watchLoop, watchProcess } from '../observability/metrics/index.ts';
import { measure } from './metrics-sources.ts';
import { openWorker } from './open-worker.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import { createAsk, probesBehind, readiness, starting } from './readiness.ts';
import type { Ask } from './readiness.ts';
import { forgetChanges, openMeilisearch, startIndexer } from '../search/index.ts';
import { TenantIndexes } from '../similarity/index.ts';
import type { Indexer } from '../search/index.ts';
import { allowOf } from './routes.ts';
import { createHandler } from './server.ts';
import type { App } from './server.ts';
import { openStatusServer } from './status-server.ts';
import { ensureFirstTenant, openAccess } from '../tenants/index.ts';
import type { FirstKey } from '../tenants/index.ts';
import { startTracing } from '../observability/tracing.ts';

export type RunningService = Readonly<{
  /** Address of the API; null if this process has no API. */
  url: string | null;
  firstKey: FirstKey | null;
  backing: Backing;
  /**
   * Makes load balancers send requests elsewhere, refuses new requests, finishes running elements, and closes everything.
   * With `isUrgent`, it does not wait for the load balancers.
   */
  close(options?: Readonly<{ isUrgent?: boolean }>): Promise<void>;
  /** Requests whose reply is incomplete. */
  inProgress(): RequestInProgress[];
  /** Accepts no more requests; resolves when none is running. Closes nothing else. */
  drain(): Promise<void>;
}>;

/**
 * Starts the roles of the configuration. The port is opened first, so that a busy port is reported at once; requests that
 * arrive before everything is ready wait.
 */
export async function serve(config: Config, logger: Logger): Promise<RunningService> {
  watchProcess();
  const stopTracing = await startTracing(config.watch);
  const phases = openPhases();
  let behind: Ask | null = null;
  const ready = async () => (behind === null ? starting : readiness(behind, phases.draining.signal.aborted));
  let [listener, status]: [Listener | null, Server | null] = [null, null];
  const opened: (() => Promise<unknown>)[] = [];
  try {
    if (config.role !== 'worker') listener = await openListener(config);
    status = await openStatusServer(config, ready);
    const unlock = config.databaseUrl === undefined ? await lockDataDir(config.dataDir) : () => {};
    opened.push(async () => unlock());
    const backing = await openBacking(config, logger, { ownsDataDir: true, activeTenants });
    opened.push(() => backing.close());
    const askBehind = (behind = createAsk(probesBehind(backing), logger));
    // Only a process with the API can show the key; a worker would hide it in its own folder.
    const firstKey = listener === null ? null : await ensureFirstTenant(backing.database, config, { isService: true });
    const answers = new Answers();
    const imageAnalyzer = openAnalyzer(config, { database: backing.database, logger, answers, activeTenants });
    const similar = new TenantIndexes(config.similarityBytes, config.workers, config.similarity);
    const { database, notifications } = backing;
    const files = openFiles(config, database);
    const previews = openServicePreviews(config, { database, notifications, files, imageAnalyzer, answers, logger });
    const parts = { backing, files, imageAnalyzer, similar, answers, previews };
    const worker = config.role === 'api' ? null : openWorker({ config, logger, ...parts });
    opened.push(async () => worker?.close());
    const indexer = await startIndexerIfConfigured(config, backing, logger);
    const api = listener === null ? null : openApi(config, logger, { ...parts, phases, listener, askBehind });
    const connections = listener === null ? null : listener.server.connections;
    const stopMeasuring = measure({ backing, imageAnalyzer, similar, role: config.role, askBehind, connections });
    const stopWatching = watchLoop((work, ms) => logger.warn({ work, ms }, 'the event loop was blocked'));
    const watch = { status, stops: [stopMeasuring, stopWatching], stopTracing };
    return {
      url: listener === null ? null : (config.baseUrl ?? addressOf(listener.server, config)),
      firstKey,
      backing,
      inProgress: () => (listener === null ? [] : requestsInProgress(listener.server.connections)),
      async drain() {
        phases.stopping.abort();
        if (api !== null) await endServer(api.server);
      },
      async close({ isUrgent = false } = {}) {
        phases.draining.abort();
        if (api !== null && !isUrgent) await after(config.drainSeconds * 1000);
        await close({ api, worker, indexer, ...parts, watch, unlock, phases }, logger);
      },
    };
  } catch (error) {
    for (const server of [listener?.server, status]) {
      server?.close();
      server?.closeAllConnections();
    }
    // Later parts depend on earlier ones; one that cannot be closed must not keep the others open.
    await closeAll(opened.toReversed()).catch(() => {});
    throw error;
  }
}

/** An open port; requests wait until a handler is set. */
type Listener = Readonly<{ server: HttpServer; open: (app: App) => void }>;

async function openListener(config: Config): Promise<Listener> {
  let setApp: (app: App) => void = () => {};
  const ready = new Promise<App>((resolve) => (setApp = resolve));
  let handler: Handler = (request, response) => void ready.then((made) => made(request, response));
  const server = createServer((request, response) => handler(request, response), undefined, {
    takeSocket: (request, socket, head) => void ready.then(({ live }) => live.upgrade(request, socket, head)),
    allowOf,
  });
  await listen(server, config);
  return {
    server,
    open(app) {
      handler = app;
      setApp(app);
    },
  };
}

type Shared = Readonly<{
  backing: Backing;
  files: Files;
  imageAnalyzer: ImageAnalyzer;
  similar: TenantIndexes;
  answers: Answers;
}>;

type ApiParts = Shared & Readonly<{ phases: Phases; listener: Listener; askBehind: Ask; previews: Previews | null }>;

function openApi(
  config: Config,
  logger: Logger,
  { backing, files, imageAnalyzer, similar, answers, phases, listener, askBehind, previews }: ApiParts,
): Api {
  const { database, notifications, queue } = backing;
  const access = openAccess(backing, config, logger);
  const { readSource, uploads, exports } = files;
  const maxLagMs = (config.meili?.maxLagSeconds ?? 0) * 1000;
  const meilisearch =
    backing.meilisearch === null ? {} : { meilisearch: openMeilisearch(backing.meilisearch, maxLagMs, logger) };
  const app = createHandler(
    {
      database,
      notifications,
      queue,
      logger,
      access,
      answers,
      imageAnalyzer,
      readSource,
      uploads,
      exports,
      similar,
      historyDays: config.historyDays,
      endpointRules: endpointRules(config),
      operator: openOperator(config),
      baseUrl: config.baseUrl ?? '',
      ...meilisearch,
      ...(previews && { previews }),
    },
    {
      corsOrigins: config.corsOrigins,
      baseUrl: config.baseUrl,
      draining: phases.draining.signal,
      stopping: phases.stopping.signal,
      hurry: phases.hurry.signal,
      cut: phases.cut.signal,
      askBehind,
    },
  );
  listener.open(app);
  return { server: listener.server, app, access };
}

/** Starts the indexer in a worker, if Meilisearch is configured; otherwise changes are not recorded for it. */
async function startIndexerIfConfigured(
  config: Config,
  { database, meilisearch }: Backing,
  logger: Logger,
): Promise<Indexer | null> {
  if (config.role === 'api') return null;
  if (meilisearch !== null) return startIndexer({ database, client: meilisearch, logger });
  await forgetChanges(database);
  return null;
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port: PORT=4001 npm start`,
        EACCES: `Port ${port} needs more privileges than this user has. Choose a port above 1023: PORT=4000 npm start`,
        EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to an address of this machine.`,
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
