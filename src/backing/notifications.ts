import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from '../logger.ts';

/** Channels of PostgreSQL NOTIFY that Vitrine's processes talk over. */
export type Channel = 'vitrine_operation' | 'vitrine_access';

const channels: readonly Channel[] = ['vitrine_operation', 'vitrine_access'];
const reconnectMs = 500;

/**
 * One connection that listens for all of this process. Delivery is a hint, never a truth: while the
 * connection is away messages are missed, so every reader also looks at the tables from time to time.
 */
export type Notifications = Readonly<{
  on(channel: Channel, listener: (payload: string) => void): () => void;
  close(): Promise<void>;
}>;

export async function openNotifications(url: string, logger: Logger): Promise<Notifications> {
  const emitter = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | null = null;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, application_name: 'vitrine listen', keepAlive: true });
    next.on('error', (error) => logger.warn({ error: error.message }, 'the listening connection was lost'));
    next.on('notification', ({ channel, payload }) => emitter.emit(channel, payload ?? ''));
    next.on('end', () => void retry());
    await next.connect();
    await next.query(channels.map((channel) => `LISTEN ${channel}`).join(';'));
    client = next;
  }

  async function retry(): Promise<void> {
    while (!closed) {
      await new Promise((resolve) => setTimeout(resolve, reconnectMs));
      if (closed) return;
      try {
        await connect();
        return;
      } catch (error) {
        logger.debug({ error: String(error) }, 'still no listening connection');
      }
    }
  }

  await connect();
  return {
    on(channel, listener) {
      emitter.on(channel, listener);
      return () => emitter.off(channel, listener);
    },
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
