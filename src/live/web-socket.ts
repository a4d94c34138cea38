import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import type { ServerOptions } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { Logger } from '../logger.ts';
import type { AccessWatch } from './access-watch.ts';
import type { LiveLimits } from './limits.ts';
import type { RunDocument } from './run-document.ts';

export type WebSocketDeps = Readonly<{
  run: RunDocument;
  access: AccessWatch;
  /** Whether a key is good now. */
  isKnown(key: string): Promise<boolean>;
  limits: LiveLimits;
  logger: Logger;
}>;

export type WebSocketEndpoint = Readonly<{
  /** Takes a connection that asks to become a WebSocket at /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Says goodbye to every client: they may connect again elsewhere. */
  close(): Promise<void>;
}>;

type Extra = { socket: WebSocket; key: string; gone: AbortSignal; release: (() => void) | null };

/** Codes of closing beyond those of the protocol's own; clients do not connect again after 44xx but 4408. */
const refusals = {
  noKey: [4401, 'Not authenticated'],
  invalidKey: [4401, 'Invalid API key'],
  tooMany: [4429, 'Too many WebSockets of this API key'],
} as const;

/** GraphQL over WebSocket, protocol `graphql-transport-ws`. */
export function createWebSocketEndpoint(deps: WebSocketDeps): WebSocketEndpoint {
  const { limits, logger } = deps;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, handleProtocols });
  const protocol = makeServer<Record<string, unknown>, Extra>(protocolOptions(deps));

  function open(socket: WebSocket, request: IncomingMessage): void {
    const gone = new AbortController();
    const extra: Extra = { socket, key: headerKey(request), gone: gone.signal, release: null };
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => send(socket, text, limits),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => socket.on('message', (data: RawData) => void receive(data, take)),
      },
      extra,
    );
    const stopPinging = keepAlive(socket, limits);
    socket.on('error', (error) => logger.debug({ error: error.message }, 'a WebSocket failed'));
    socket.once('close', (code, reason) => {
      gone.abort();
      stopPinging();
      extra.release?.();
      void closed(code, String(reason));
    });

    async function receive(data: RawData, take: (text: string) => Promise<void>): Promise<void> {
      try {
        await take(String(data));
      } catch (error) {
        if (socket.readyState !== socket.OPEN) return;
        logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'a WebSocket message failed');
        socket.close(4500, 'Internal server error');
      }
    }
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      sockets.handleUpgrade(request, socket, head, open);
    },
    async close() {
      for (const socket of sockets.clients) socket.close(1001, 'The service is stopping');
      const overdue = setTimeout(() => sockets.clients.forEach((socket) => socket.terminate()), 1_000);
      await Promise.all([...sockets.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
      clearTimeout(overdue);
      sockets.close();
    },
  };
}

function protocolOptions({
  run,
  access,
  isKnown,
  limits,
}: WebSocketDeps): ServerOptions<Record<string, unknown>, Extra> {
  return {
    connectionInitWaitTimeout: limits.initMs,
    async onConnect({ connectionParams, extra }) {
      const refuse = ([code, reason]: readonly [number, string]) => {
        extra.socket.close(code, reason);
        return false;
      };
      extra.key ||= parameterKey(connectionParams);
      if (extra.key === '') return refuse(refusals.noKey);
      if (!(await isKnown(extra.key))) return refuse(refusals.invalidKey);
      const onLost = () => extra.socket.close(...refusals.invalidKey);
      extra.release = access.hold(extra.key, 'socket', onLost);
      if (extra.release === null) return refuse(refusals.tooMany);
      if (extra.gone.aborted) extra.release();
      return true;
    },
    onSubscribe({ extra, subscriptions }, _id, payload) {
      if (Object.keys(subscriptions).length > limits.operationsPerSocket) {
        const extensions = { code: 'too_many_operations', max: limits.operationsPerSocket };
        return [new GraphQLError('Too many operations are under way on this WebSocket', { extensions })];
      }
      return run.prepare(payload, { key: extra.key, signal: extra.gone, requestId: randomUUID() });
    },
    execute: run.execute,
    subscribe: run.subscribe,
  };
}

function headerKey({ headers }: IncomingMessage): string {
  const key = headers['api-key'];
  return typeof key === 'string' ? key.trim() : '';
}

/** `API-Key` under any of its spellings: browsers can send no headers with a WebSocket. */
function parameterKey(parameters: Readonly<Record<string, unknown>> = {}): string {
  const named = Object.entries(parameters).find(([name]) => /^api[-_]?key$/i.test(name));
  return typeof named?.[1] === 'string' ? named[1].trim() : '';
}

/** Resolves when the text has left, so that the next event is asked for only then. */
function send(socket: WebSocket, text: string, { bufferedBytes }: LiveLimits): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    socket.send(text, () => resolve()); // An error closes the socket, which ends what it had running.
    if (socket.bufferedAmount - text.length > bufferedBytes) socket.terminate();
  });
}

/** Ends a connection whose client does not answer any more. */
function keepAlive(socket: WebSocket, { pingMs }: LiveLimits): () => void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}
