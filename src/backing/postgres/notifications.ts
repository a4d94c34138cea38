import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../observability/logger.ts';
import { databaseTimeouts } from './unavailable.ts';

/** The NOTIFY channels of PostgreSQL that Vitrine's processes use. */
const channels = [
  'vitrine_operation',
  'vitrine_access',
  'vitrine_preview',
  'vitrine_standing',
  'vitrine_notification',
] as const;
type Channel = (typeof channels)[number];

const reconnectMs = 500;

/**
 * One listening connection for the whole process. Notifications are only hints: while the connection is down, they
 * are lost, so every reader also polls the tables.
 */
export type Notifications = Readonly<{
  /** Name of this connection in `pg_stat_activity`: as long as it is listed there, this process is alive. */
  session: string;
  on(channel: Channel, listener: (payload: string) => void): () => void;
  /**
   * Rejects while the connection is down. Callers share a running check, because a connection runs one statement at a
   * time.
   */
  check(): Promise<unknown>;
  close(): Promise<void>;
}>;

export async function openNotifications(url: string, logger: Logger): Promise<Notifications> {
  const emitter = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | null = null;
  let checking: Promise<unknown> | null = null;
  let isClosed = false;
  const session = `vitrine ${randomUUID()}`;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: session,
      keepAlive: true,
      connectionTimeoutMillis: databaseTimeouts.connectMs,
    });
    next.on('error', (error) => logger.warn({ error: error.message }, 'the connection for notifications was lost'));
    next.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''));
    try {
      await next.connect();
      await next.query(channels.map((channel) => `LISTEN ${channel}`).join(';'));
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    if (isClosed) return next.end(); // Closed while it was being opened.
    // Not earlier: a connection that could not be established also emits `end`, and each would start a series of
    // retries.
    next.on('end', () => {
      client = null;
      void retry();
    });
    client = next;
  }

  async function retry(): Promise<void> {
    while (!isClosed) {
      await sleep(reconnectMs);
      if (isClosed) return;
      try {
        await connect();
        return;
      } catch (error) {
        logger.debug({ error: String(error) }, 'still no connection for notifications');
      }
    }
  }

  await connect();
  return {
    session,
    on(channel, listener) {
      emitter.on(channel, listener);
      return () => emitter.off(channel, listener);
    },
    async check() {
      if (client === null) throw new Error('there is no connection for notifications');
      checking ??= client.query('SELECT 1').finally(() => (checking = null));
      await checking;
    },
    async close() {
      isClosed = true;
      await client?.end();
    },
  };
}
