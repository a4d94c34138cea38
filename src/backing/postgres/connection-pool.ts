import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from '../../observability/logger.ts';
import { setSession, valueFormats } from './set-session.ts';
import { NamelessClient, SteadyClient, socketEndingAfter } from './steady-client.ts';
import type { DatabaseTimeouts } from './unavailable.ts';

type PoolOptions = Readonly<{
  url: string;
  maxConnections: number;
  /** Whether statements keep their names and thus their plans; a transaction pooler does not support names. */
  isPrepared: boolean;
  timeouts: DatabaseTimeouts;
  types: pg.CustomTypesConfig;
  logger: Logger;
  /** Names the server in log lines, if it is not the primary. */
  name?: string;
  /** Called with each new socket. */
  onSocket?: (socket: Socket) => void;
}>;

/** Settings that statements rely on, whatever the server, the database or the role sets for its sessions. */
const sessionSettings = {
  ...valueFormats,
  default_transaction_isolation: 'read committed',
  // A process that vanished without closing its connection must not keep rows locked.
  idle_in_transaction_session_timeout: 30_000,
};

/** Creates a pool of connections to one server, with a timeout for every wait. */
export function createPool({
  url,
  maxConnections,
  isPrepared,
  timeouts,
  types,
  logger,
  name,
  onSocket,
}: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    Client: isPrepared ? SteadyClient : NamelessClient,
    connectionString: url,
    max: maxConnections,
    types,
    application_name: 'vitrine',
    connectionTimeoutMillis: timeouts.connectMs,
    stream: () => {
      const socket = socketEndingAfter(timeouts.answerMs);
      onSocket?.(socket);
      return socket;
    },
    // Close an idle connection before its silence could be taken for a timeout.
    idleTimeoutMillis: Math.min(10_000, timeouts.answerMs / 2),
    keepAlive: true,
    // Not as connection parameters, because poolers in between refuse unknown ones.
    onConnect: (client) => setSession(client, { ...sessionSettings, statement_timeout: timeouts.statementMs }),
  });
  pool.on('error', logLosses(logger, name));
  return pool;
}

/** Connections lost within this time share a log line. */
const lossesMs = 200;

function logLosses(logger: Logger, name: string | undefined): (error: Error) => void {
  let connections = 0;
  return ({ message }) => {
    connections += 1;
    if (connections > 1) return;
    const logLoss = () => {
      const replica = name === undefined ? {} : { replica: name };
      logger.warn({ ...replica, error: message, connections }, 'connections to the database were lost');
      connections = 0;
    };
    setTimeout(logLoss, lossesMs).unref();
  };
}
