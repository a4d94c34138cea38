import { Socket } from 'node:net';
import pg from 'pg';

/**
 * A connection whose loss only fails the current statement. Without a listener, the driver's `error` event ends the
 * process, even while a client from the pool is between two statements.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {}); // The user of the connection notices the loss at the next statement.
  }
}

type Query = pg.Client['query'];

/**
 * Sends statements without their names. A transaction pooler gives each transaction another connection, which does
 * not have what was prepared on the previous one.
 */
export class NamelessClient extends SteadyClient {
  override query: Query = ((config: unknown, ...rest: unknown[]) => {
    const isNamed = typeof config === 'object' && config !== null && 'name' in config;
    const isQuery = isNamed && config instanceof pg.Query;
    if (isQuery) config.name = undefined;
    const sent = isNamed && !isQuery ? { ...config, name: undefined } : config;
    return Reflect.apply(pg.Client.prototype.query as (...args: unknown[]) => unknown, this, [sent, ...rest]);
  }) as Query;
}

/**
 * The socket of a connection. It closes when nothing was sent or received for `ms` milliseconds, because then the
 * server no longer answers at all. It uses one timer for its whole life; the driver's own `query_timeout` creates one
 * per statement, which keeps the rows of that statement in memory until a full collection.
 */
export function socketEndingAfter(ms: number): Socket {
  const socket = new Socket();
  socket.setTimeout(ms, () => {
    socket.destroy(Object.assign(new Error(`The database did not answer for ${ms} ms`), { code: 'ETIMEDOUT' }));
  });
  return socket;
}
