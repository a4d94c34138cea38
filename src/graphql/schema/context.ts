import type { Database, Notifications, TenantQueue } from '../../backing/index.ts';
import type { Exports } from '../../exports/index.ts';
import type { FolderChoice } from '../../backup/index.ts';
import type { Answers } from '../../lib/answers.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SourceReader } from '../../catalog/index.ts';
import type { Finding } from '../../doctor/index.ts';
import type { ImageAnalyzer } from '../../analysis/index.ts';
import { keepHistoryDays } from '../../operations/index.ts';
import { formerReasonOf } from '../../search/index.ts';
import type { SearchRoute, MeilisearchBackend } from '../../search/index.ts';
import type { TenantIndexes } from '../../similarity/index.ts';
import { consoleHeader } from '../../lib/http-contract.ts';
import type { Previews } from '../../previews/index.ts';
import type { Uploads } from '../../uploads/index.ts';
import type { EndpointRules } from '../../webhooks/index.ts';
import { forbidden, forTenant, hasScope } from '../../tenants/index.ts';
import type { Access, Actor, Scope, TenantDb, Viewer } from '../../tenants/index.ts';

/** Actions of this process that are reserved for operators of the service. */
export type Operator = Readonly<{
  /** Returns the findings of the doctor. Concurrent calls get the same findings. */
  examine(): Promise<readonly Finding[]>;
  /** Writes an archive of all tenants, one at a time. */
  backUp(choice: FolderChoice, onDigest: (digest: string) => void): Promise<AsyncGenerator<Buffer>>;
}>;

/** What resolvers may use; created once at startup. */
export type Services = Readonly<{
  database: Database;
  notifications: Notifications;
  queue: TenantQueue;
  logger: Logger;
  /** Counts requests being answered, so that less urgent work can wait. */
  answers?: Answers;
  access: Access;
  /** Undefined if this process does not analyze pictures. */
  imageAnalyzer?: ImageAnalyzer;
  /** Reads pictures from URLs. */
  readSource?: SourceReader;
  /** Prefix of URLs; empty if they are relative to the service's URL. */
  baseUrl?: string;
  /** Previews of pictures; if undefined, no picture has a preview URL. */
  previews?: Previews;
  /** Files that clients upload as sources. */
  uploads?: Uploads;
  /** Files of exports. */
  exports?: Exports;
  /** Indexes that find similar images; if undefined, similar images are not searched for. */
  similar?: TenantIndexes;
  /** Undefined if not configured: PostgreSQL then answers everything. */
  meilisearch?: MeilisearchBackend;
  /** Number of days that changes of records are kept, for tenants without a setting. */
  historyDays?: number;
  /** Rules for webhook addresses; if undefined, no webhooks can be added. */
  endpointRules?: EndpointRules;
  /** Undefined if this process has no actions for operators of the service. */
  operator?: Operator;
}>;

/** What resolvers know about the request. */
export type Context = Readonly<{
  services: Services;
  viewer: Viewer | null;
  requestId: string;
  /** Distinguishes this write from the first one in the request: its position in a list of documents, and its name. */
  laterWrite?: string;
  request: Readonly<{
    method: string;
    /** Path and query as sent. */
    target: string;
    /** Returns the first header with this name (lowercase). */
    header(name: string): string | undefined;
    /** Fires when the client has disconnected; created only when it is read. */
    readonly signal: AbortSignal;
    /** The address that the connection comes from. */
    readonly address: string | null;
    /** Adds a header to the response, whatever its outcome. */
    setHeader(name: string, value: string): void;
    /** Reports that the work in the body was accepted, so that the next large body of the tenant may be read. */
    bodyHandled(): void;
    /** Calls `act` when the reply was sent, or its reader has disconnected. */
    whenSent(act: () => void): void;
  }>;
}>;

/** Returns the caller. @throws AppError `unauthenticated` without a key. */
export function viewerOf({ viewer }: Context): Viewer {
  if (viewer === null) throw new AppError('unauthenticated', 'Not authenticated');
  return viewer;
}

const databases = new WeakMap<Viewer, TenantDb>();

/** Returns the database of the caller's tenant. */
export function tenantOf(context: Context): TenantDb {
  const viewer = viewerOf(context);
  let db = databases.get(viewer);
  if (db === undefined) databases.set(viewer, (db = forTenant(context.services.database, viewer.tenantId)));
  return db;
}

/**
 * Returns the prefix of URLs in a reply. The console gets them relative to its page: it may be open under another address
 * than BASE_URL, from which it could not load pictures.
 */
export function baseUrlOf({ services, request }: Context): string {
  return request.header(consoleHeader) === undefined ? (services.baseUrl ?? '') : '..';
}

/** Returns how many days changes of records are kept, unless the tenant sets its own number. */
export function historyDaysOf({ services }: Context): number {
  return services.historyDays ?? keepHistoryDays;
}

/**
 * Returns the route to Meilisearch; undefined if it is not configured. Headers report which backend gave each part of an
 * answer.
 */
export function routeOf({ services, request }: Context): SearchRoute | undefined {
  const { meilisearch } = services;
  if (meilisearch === undefined) return undefined;
  const reported = new Set<string>();
  return {
    meilisearch,
    report(part, { backend: own, reason }) {
      // A search is repeated if its words seem to be mistyped, so a part may be reported twice.
      if (reported.has(part)) return;
      reported.add(part);
      request.setHeader('Search-Backend', `${part}=${own}${reason === null ? '' : `;reason=${reason}`}`);
      request.setHeader('Search-Engine', `${part}=${own}${reason === null ? '' : `;reason=${formerReasonOf(reason)}`}`);
    },
  };
}

/** Returns the caller as the audit trail records it. */
export function actorOf(context: Context): Actor {
  const { keyId, keyPrefix } = viewerOf(context);
  return { keyId, keyPrefix, requestId: context.requestId, address: context.request.address };
}

/** @throws AppError `unauthenticated`, or `forbidden` if the key lacks the scope; the audit trail records the latter. */
export function requireScope(context: Context, scope: Scope): void {
  const viewer = viewerOf(context);
  if (hasScope(viewer, scope)) return;
  const { services, requestId, request } = context;
  services.access.journal.refuse(viewer, 'access.forbidden', scope, { id: requestId, address: request.address });
  throw forbidden(viewer, scope);
}
