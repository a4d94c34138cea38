import type { Notifications } from '../backing/index.ts';
import type { Authenticator, Viewer } from '../tenants/index.ts';
import type { LiveLimits } from './limits.ts';

type WatchedConnection = 'socket' | 'stream';

export type AccessWatch = Readonly<{
  /**
   * Registers a long-lived connection; calls `onLost` when its key is no longer valid or its rights have changed.
   * Only in the latter case can the key connect again.
   *
   * @returns a function that removes it; null if the key already has the maximum number of this kind.
   */
  hold(key: string, kind: WatchedConnection, onLost: OnLost): (() => void) | null;
  close(): void;
}>;

type OnLost = (isValid: boolean) => void;
type Held = Readonly<{ kind: WatchedConnection; onLost: OnLost }>;

/**
 * Keys are checked when a connection opens, and connections stay open for hours. So the keys of open connections are
 * checked again: when any key has changed, and every half second to detect expiry and missed changes. While the database
 * is unavailable, keys keep their connections.
 */
export function watchAccess(
  authenticate: Authenticator['authenticate'],
  notifications: Notifications,
  limits: LiveLimits,
): AccessWatch {
  const watched = new Map<string, { held: Set<Held>; rights: string | null }>();
  const most: Readonly<Record<WatchedConnection, number>> = {
    socket: limits.socketsPerKey,
    stream: limits.streamsPerKey,
  };
  let isChecking = false;

  async function check(key: string): Promise<void> {
    const viewer = await authenticate(key);
    const entry = watched.get(key);
    if (entry === undefined) return;
    if (viewer !== null) {
      entry.rights ??= rightsOf(viewer);
      if (entry.rights === rightsOf(viewer)) return;
    }
    watched.delete(key);
    for (const { onLost } of entry.held) onLost(viewer !== null);
  }

  /** Checks one key after the other: however many there are, requests are served in between. */
  async function checkAll(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    for (const key of [...watched.keys()]) await check(key).catch(() => {});
    isChecking = false;
  }

  const forget = notifications.on('vitrine_access', () => void checkAll());
  const timer = setInterval(() => void checkAll(), limits.accessMs).unref();

  return {
    hold(key, kind, onLost) {
      const entry = watched.get(key) ?? { held: new Set<Held>(), rights: null };
      if ([...entry.held].filter((each) => each.kind === kind).length >= most[kind]) return null;
      const own = { kind, onLost };
      entry.held.add(own);
      watched.set(key, entry);
      return () => {
        entry.held.delete(own);
        if (entry.held.size === 0 && watched.get(key) === entry) watched.delete(key);
      };
    },
    close() {
      clearInterval(timer);
      forget();
    },
  };
}

/** The tenant, role and scopes of a key; its connections are closed when they change. */
function rightsOf({ tenantId, role, scopes }: Viewer): string {
  return `${tenantId} ${role} ${scopes.join()}`;
}
