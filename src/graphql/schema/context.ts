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
import type { Previews } from '../../previews/index.ts';
import type { Uploads } from '../../uploads/index.ts';
import type { EndpointRules } from '../../webhooks/index.ts';
import { forbidden, forTenant, hasScope } from '../../tenants/index.ts';
import type { Access, Actor, Scope, TenantDb, Viewer } from '../../tenants/index.ts';

/** What only who runs the service may ask this process for. */
export type Operator = Readonly<{
  /** What the doctor finds. Who asks meanwhile gets the same findings. */
  examine(): Promise<readonly Finding[]>;
  /** Writes an archive of all tenants; one at a time. */
  backUp(choice: FolderChoice, onDigest: (digest: string) => void): Promise<AsyncGenerator<Buffer>>;
}>;

/** What resolvers may use; made once at start. */
export type Services = Readonly<{
  database: Database;
  notifications: Notifications;
  queue: TenantQueue;
  logger: Logger;
  /** Counts what is answered, for work that can wait. */
  answers?: Answers;
  access: Access;
  /** Undefined if this process analyzes no pictures. */
  imageAnalyzer?: ImageAnalyzer;
  /** Reads pictures from addresses. */
  readSource?: SourceReader;
  /** What addresses begin with; empty where they are relative to the service's. */
  baseUrl?: string;
  /** Previews of pictures; without them none have an address. */
  previews?: Previews;
  /** Files that clients send to be sources. */
  uploads?: Uploads;
  /** Files of exports. */
  exports?: Exports;
  /** What finds similar images; without it none are looked for. */
  similar?: TenantIndexes;
  /** Undefined if not configured: PostgreSQL gives all answers. */
  meilisearch?: MeilisearchBackend;
  /** How long changes of records are kept, for tenants that do not say. */
  historyDays?: number;
  /** What is allowed of addresses of webhooks; without it none are added. */
  endpointRules?: EndpointRules;
  /** For who runs the service. */
  operator?: Operator;
}>;

/** What resolvers know of the request. */
export type Context = Readonly<{
  services: Services;
  viewer: Viewer | null;
  requestId: string;
  request: Readonly<{
    method: string;
    /** Path and query as sent. */
    target: string;
    /** The first header of this name (lower case). */
    header(name: string): string | undefined;
    /** Fires when the client has gone; made only for those who ask. */
    readonly signal: AbortSignal;
    /** Where the connection comes from. */
    readonly address: string | null;
    /** Adds a header to the answer, whatever it will be. */
    setHeader(name: string, value: string): void;
    /** Says that the work of the body is accepted: the next large body of the tenant may be read. */
    bodyHandled(): void;
    /** Calls `act` when the reply has left, or its reader has gone. */
    whenSent(act: () => void): void;
  }>;
}>;

/** Who is asking. @throws AppError `unauthenticated` without a key. */
export function viewerOf({ viewer }: Context): Viewer {
  if (viewer === null) throw new AppError('unauthenticated', 'Not authenticated');
  return viewer;
}

const databases = new WeakMap<Viewer, TenantDb>();

/** The rows of the one who is asking. */
export function tenantOf(context: Context): TenantDb {
  const viewer = viewerOf(context);
  let db = databases.get(viewer);
  if (db === undefined) databases.set(viewer, (db = forTenant(context.services.database, viewer.tenantId)));
  return db;
}

/** How long changes of records are kept, if the tenant does not say. */
export function historyDaysOf({ services }: Context): number {
  return services.historyDays ?? keepHistoryDays;
}

/** The route to Meilisearch; undefined if none is configured. Headers report which backend gave each part of an answer. */
export function routeOf({ services, request }: Context): SearchRoute | undefined {
  const { meilisearch } = services;
  if (meilisearch === undefined) return undefined;
  const reported = new Set<string>();
  return {
    meilisearch,
    report(part, { backend: own, reason }) {
      // A list is asked for again when its words are taken for mistyped.
      if (reported.has(part)) return;
      reported.add(part);
      request.setHeader('Search-Backend', `${part}=${own}${reason === null ? '' : `;reason=${reason}`}`);
      request.setHeader('Search-Engine', `${part}=${own}${reason === null ? '' : `;reason=${formerReasonOf(reason)}`}`);
    },
  };
}

/** Who is asking, as the audit trail records it. */
export function actorOf(context: Context): Actor {
  const { keyId, keyPrefix } = viewerOf(context);
  return { keyId, keyPrefix, requestId: context.requestId, address: context.request.address };
}

/** @throws AppError `unauthenticated`, or `forbidden` where the key may not; the audit trail keeps the latter. */
export function requireScope(context: Context, scope: Scope): void {
  const viewer = viewerOf(context);
  if (hasScope(viewer, scope)) return;
  const { services, requestId, request } = context;
  services.access.journal.refuse(viewer, 'access.forbidden', scope, { id: requestId, address: request.address });
  throw forbidden(viewer, scope);
}
