import { Socket } from 'node:net';
import pg from 'pg';

/**
 * A connection whose loss ends the statement under way and nothing else. Without anyone listening,
 * the driver's `error` event ends the process, also while a connection is between two statements of
 * whoever has taken it from a pool.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {}); // Whoever uses it hears of the loss by its next statement.
  }
}

type Query = pg.Client['query'];

/**
 * Sends statements without their names. A pooler of transactions gives each transaction another
 * connection, which does not know what was prepared on the one before.
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
 * The socket of a connection, ended when nothing has come or gone for `ms` milliseconds: a server that
 * no longer answers at all. One timer for a socket's whole life; the driver's own `query_timeout`
 * makes one for each statement, which keeps the statement's rows in memory until a full collection.
 */
export function socketEndingAfter(ms: number): Socket {
  const socket = new Socket();
  socket.setTimeout(ms, () => {
    socket.destroy(Object.assign(new Error(`The database said nothing for ${ms} ms`), { code: 'ETIMEDOUT' }));
  });
  return socket;
}
