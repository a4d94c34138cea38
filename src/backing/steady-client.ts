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
