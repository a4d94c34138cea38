import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { inject } from 'vitest';
import { openBacking } from '../../src/backing/index.ts';
import type { Backing } from '../../src/backing/index.ts';
import type { Exports } from '../../src/exports/index.ts';
import type { Uploads } from '../../src/uploads/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { createServer } from '../../src/http/connection/server.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { Answers } from '../../src/lib/answers.ts';
import { openImageAnalyzer } from '../../src/analysis/index.ts';
import { startWorker } from '../../src/operations/index.ts';
import type { Patience } from '../../src/operations/run/patience.ts';
import type { OperationWorker } from '../../src/operations/index.ts';
import type { ImageAnalyzer } from '../../src/analysis/index.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import { endpointRules, openDeliveries } from '../../src/app/open-deliveries.ts';
import { openFiles } from '../../src/app/open-files.ts';
import { openOperator } from '../../src/app/open-operator.ts';
import { openServicePreviews } from '../../src/app/open-previews.ts';
import { openTestMeilisearch, upToDate } from './meilisearch.ts';
import { sharedAnalyzer } from './shared-analyzer.ts';
import { allowOf } from '../../src/app/routes.ts';
import { createHandler } from '../../src/app/server.ts';
import type { HandlerOptions } from '../../src/app/server.ts';
import { createApiKey, createTenant, openAccess } from '../../src/tenants/index.ts';
import type { Access, Role, Scope } from '../../src/tenants/index.ts';
import { requestText } from './request-text.ts';
import { cloneDatabase } from './database.ts';
import { leaksIn, reportsAnError } from './leaks.ts';

/** An answer of REST: status, headers, and the body where it is JSON. */
export type Answer = Readonly<{ status: number; headers: Headers; body: any }>; // oxlint-disable-line no-explicit-any -- what tests look into

export type GraphQLAnswer = Readonly<{
  data: any;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}>; // oxlint-disable-line no-explicit-any -- what tests look into

/** Speaks to the service with one API key. */
export type Client = Readonly<{
  key: string;
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
  /** Writes with wait=true and returns the operation record; fails the test when it is no operation. */
  write(method: string, path: string, body?: unknown): Promise<Answer['body']>;
}>;

/** What tests use that need nothing but a tenant. */
export type SharedWorld = Readonly<{
  url: string;
  /** Folder below which `src_path` may point; new and empty, where the world is not shared. */
  media: string;
  backing: Backing;
  access: Access;
  /** A client of a new tenant, or of the tenant `of` has. */
  client(options?: { role?: Role; scopes?: readonly Scope[]; tenant?: string; expiresAt?: Date }): Promise<Client>;
  /** Writes a small picture into the media folder. */
  picture(name: string, options?: { width?: number; height?: number; color?: string }): Promise<string>;
}>;

export type World = SharedWorld &
  Readonly<{
    uploads: Uploads;
    exports: Exports;
    startWorker(): OperationWorker;
    /** Ends the connections that stay open, as SIGTERM does first. */
    endStreams(): Promise<void>;
    close(): Promise<void>;
  }>;

export type WorldOptions = Readonly<{
  mediaRoots?: readonly string[];
  sourceAllow?: string;
  worker?: boolean;
  /** A Redis for the queue, in place of PostgreSQL. */
  redisUrl?: string;
  /** The image analyzer, if not that of the service. */
  imageAnalyzer?: ImageAnalyzer;
  /** Patience of workers with operations that cannot be stored. */
  patience?: Patience;
  /** Whether stored pictures are analyzed, for tenants that do not say. */
  analyses?: boolean;
  http?: HandlerOptions;
  /** A database of the test's own, in place of a new one of the run's PostgreSQL. */
  database?: Readonly<{ url: string; drop: () => Promise<void> }>;
  /** Who hears what is logged; no one, where a test does not say. */
  logger?: Logger;
  /** More variables. */
  environment?: Readonly<Record<string, string>>;
  /** Whether Meilisearch answers; writes then wait until it has them. */
  hasMeilisearch?: boolean;
}>;

/** Whether worlds have Meilisearch by default: set by suites that run with and without it. */
export const worlds = { hasMeilisearch: false };

/** How often answers said of a part of theirs what gave it: `count=meilisearch`. */
export const answeredBy = new Map<string, number>();

/** The whole service on a database of its own: real PostgreSQL, real queue, real HTTP. */
export async function openWorld({
  mediaRoots = [],
  sourceAllow = '',
  worker = true,
  redisUrl = '',
  imageAnalyzer: own,
  patience,
  analyses = false,
  http = {},
  database: given,
  logger: givenLogger,
  environment = {},
  hasMeilisearch = worlds.hasMeilisearch,
}: WorldOptions = {}): Promise<World> {
  const logger = givenLogger ?? createLogger('fatal');
  const { url: databaseUrl, drop } = given ?? (await cloneDatabase(inject('postgresUrl')));
  const media = mkdtempSync(join(tmpdir(), 'vitrine-media-'));
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    MEDIA_ROOTS: [media, ...mediaRoots].join(':'),
    SOURCE_ALLOW: sourceAllow,
    DATA_DIR: media,
    ...environment,
  });
  const activeTenants = tenantsOfProcess;
  const backing = await openBacking(config, logger, { ownsDataDir: false, activeTenants });
  const { database, notifications, queue } = backing;
  const files = openFiles(config, database);
  const { readSource, openSource, streamSource, uploads, exports } = files;
  const answers = new Answers();
  // What is logged or configured is about processes of its own.
  const isUsual =
    givenLogger === undefined && Object.keys(environment).every((name) => !/^(AI|HF|MODELS|TESSDATA)_/.test(name));
  const imageAnalyzer =
    own ??
    (isUsual ? sharedAnalyzer() : openImageAnalyzer({ ai: config.ai, threads: 2, logger, answers, activeTenants }));
  const similar = new TenantIndexes(256 * 1024 * 1024, 1);
  const previews = openServicePreviews(config, { database, notifications, files, imageAnalyzer, answers, logger });
  const workers: OperationWorker[] = [];
  const begin = () => {
    const analysis = { isDefault: analyses };
    const deps = {
      database,
      notifications,
      queue,
      logger,
      readSource,
      openSource,
      streamSource,
      imageAnalyzer,
      analysis,
      similar,
      uploads,
      exports,
      answers,
      deliveries: openDeliveries({ config, database, logger }),
      workers: config.workers,
      ...(patience && { patience }),
      ...(previews && { onFiles: previews.noteStored }),
    };
    const started = startWorker(deps);
    workers.push(started);
    return started;
  };
  if (worker) begin();
  const testMeilisearch = hasMeilisearch ? await openTestMeilisearch(database) : null;
  const access = openAccess(backing, config, logger);
  const services = {
    ...(previews && { previews }),
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
    ...(testMeilisearch && { meilisearch: testMeilisearch.meilisearch }),
  };
  const app = createHandler(services, http);
  const server = createServer(app, http.limits, { takeSocket: app.live.upgrade, allowOf });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let tenants = 0;

  return {
    url,
    media,
    backing,
    access,
    uploads,
    exports,
    startWorker: begin,
    endStreams: () => app.live.close(),
    async client({ role = 'admin', scopes, tenant, expiresAt } = {}) {
      const name = tenant ?? `tenant-${(tenants += 1)}`;
      const known = await database.prisma.tenant.findUnique({ where: { name } });
      const { id } = known ?? (await createTenant(database, name));
      const { secret } = await createApiKey(database, {
        tenantId: id,
        name: `${role} of ${name}`,
        role,
        scopes,
        expiresAt: expiresAt ?? null,
      });
      return createClient(url, secret, testMeilisearch === null ? undefined : () => upToDate(database));
    },
    async picture(name, { width = 40, height = 30, color = 'teal' } = {}) {
      const image = sharp({ create: { width, height, channels: 3, background: color } });
      await image.toFile(join(media, name));
      return name;
    },
    async close() {
      await app.live.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      for (const each of workers) await each.close();
      await testMeilisearch?.close();
      await previews?.close();
      await imageAnalyzer.close();
      await similar.close();
      await access.close();
      await backing.close();
      await drop();
      rmSync(media, { recursive: true, force: true });
    },
  };
}

/** The operation of a write that took longer than the service lets a request wait, as on a busy machine. */
async function finishedOperation(rest: Client['rest'], accepted: Readonly<{ operation_id: number }>) {
  const path = `/ops/${accepted.operation_id}`;
  for (const end = Date.now() + 240_000; Date.now() < end; await setTimeout(200)) {
    const { body } = await rest('GET', path);
    if (body.is_finished) return body;
  }
  throw new Error(`${path} did not finish within four minutes`);
}

export function createClient(url: string, key: string, written: () => Promise<void> = async () => {}): Client {
  const rest: Client['rest'] = async (method, path, body, headers = {}) => {
    const hasBody = body !== undefined;
    const answer = await requestText(url + path, {
      method,
      headers: { 'API-Key': key, ...(hasBody && { 'Content-Type': 'application/json' }), ...headers },
      ...(hasBody && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { text } = answer;
    for (const part of answer.headers.get('search-backend')?.split(', ') ?? [])
      answeredBy.set(part, (answeredBy.get(part) ?? 0) + 1);
    // Every error in any test is checked for leaks.
    const leaks = reportsAnError(answer.status, text) ? leaksIn(text) : [];
    if (leaks.length > 0) throw new Error(`${method} ${path} revealed ${leaks.join(', ')}: ${text.slice(0, 2000)}`);
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
  };
  return {
    key,
    rest,
    async graphql(query, variables = {}) {
      const { body } = await rest('POST', '/graphql', { query, variables });
      return body as GraphQLAnswer;
    },
    async write(method, path, body) {
      const answer = await rest(method, `${path}${path.includes('?') ? '&' : '?'}wait=true`, body);
      if (answer.status > 202)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      const operation = answer.status === 202 ? await finishedOperation(rest, answer.body) : answer.body;
      await written();
      return operation;
    },
  };
}
