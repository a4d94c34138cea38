import type { Database, Notifications, TenantQueue } from '../../backing/index.ts';
import type { Answers } from '../../lib/answers.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SourceReader } from '../../catalog/index.ts';
import type { ImageAnalyzer } from '../../analysis/index.ts';
import type { Route, MeilisearchBackend } from '../../search/index.ts';
import type { TenantIndexes } from '../../similarity/index.ts';
import type { Previews } from '../../previews/index.ts';
import { forbidden, forTenant, hasScope } from '../../tenants/index.ts';
import type { Access, Actor, Scope, TenantDb, Viewer } from '../../tenants/index.ts';

/** What resolvers may use; made once at start. */
export type Services = Readonly<{
  database: Database;
  notifications: Notifications;
  queue: TenantQueue;
  logger: Logger;
  /** Counts what is answered, for work that can wait. */
  answers?: Answers;
  access: Access;
  /** What looks at pictures; without it none are tagged. */
  imageAnalyzer?: ImageAnalyzer;
  /** Reads pictures from addresses. */
  readSource?: SourceReader;
  /** What addresses begin with; empty where they are relative to the service's. */
  baseUrl?: string;
  /** Previews of pictures; without them none have an address. */
  previews?: Previews;
  /** What finds similar images; without it none are looked for. */
  similar?: TenantIndexes;
  /** The search engine beside PostgreSQL; without one PostgreSQL answers all. */
  meilisearch?: MeilisearchBackend;
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

/** The way to the search engine, whose use a header tells; undefined where none is configured. */
export function routeOf({ services, request }: Context): Route | undefined {
  const { meilisearch: engine } = services;
  if (engine === undefined) return undefined;
  const reported = new Set<string>();
  return {
    meilisearch: engine,
    report(part, { backend: own, reason }) {
      // A list is asked for again when its words are taken for mistyped.
      if (reported.has(part)) return;
      reported.add(part);
      request.setHeader('Search-Engine', `${part}=${own}${reason === null ? '' : `;reason=${reason}`}`);
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
