import type { Database, Notifications, TurnQueue } from '../backing/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { forTenant } from '../tenants/index.ts';
import type { TenantDb, Viewer } from '../tenants/index.ts';

/** What resolvers may use; made once at start. */
export type Services = Readonly<{
  database: Database;
  notifications: Notifications;
  queue: TurnQueue;
  logger: Logger;
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
