import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import type { ServerOptions } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import { refuseRaw } from '../http/connection/client-error.ts';
import { limits as standard } from '../http/limits.ts';
import type { Logger } from '../observability/logger.ts';
import { excerpt } from '../lib/excerpt.ts';
import type { Reply } from '../lib/http-contract.ts';
import type { AccessWatch } from './access-watch.ts';
import { limitMessages } from './limit-messages.ts';
import type { LiveLimits } from './limits.ts';
import type { RunDocument } from './run-document.ts';
import { Sent } from './sent.ts';

type WebSocketDeps = Readonly<{
  run: RunDocument;
  access: AccessWatch;
  /** Whether a key is valid now. */
  isKnown(key: string): Promise<boolean>;
  limits: LiveLimits;
  logger: Logger;
}>;

type WebSocketEndpoint = Readonly<{
  /** Accepts a connection that requests an upgrade to a WebSocket at /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection: clients may reconnect to another process. */
  close(): Promise<void>;
}>;

type Extra = {
  socket: WebSocket;
  key: string;
  address: string | null;
  gone: AbortSignal;
  sent: Sent;
  release: (() => void) | null;
};

/** Close codes in addition to those of the protocol; clients do not reconnect after 44xx, except 4408. */
const refusals = {
  noKey: [4401, 'Not authenticated'],
  invalidKey: [4401, 'Invalid API key'],
  tooMany: [4429, 'Too many WebSockets of this API key'],
  tooManyMessages: [4429, 'Too many messages'],
} as const;

/** GraphQL over WebSocket, protocol `graphql-transport-ws`. */
export function createWebSocketEndpoint(deps: WebSocketDeps): WebSocketEndpoint {
  const { limits, logger } = deps;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.messageBytes, handleProtocols });
  sockets.on('wsClientError', (error, socket, request) =>
    refuseRaw(request, socket, noHandshake(error), standard.lingerMs),
  );
  const protocol = makeServer<Record<string, unknown>, Extra>(protocolOptions(deps));

  function open(socket: WebSocket, request: IncomingMessage): void {
    const gone = new AbortController();
    setMaxListeners(0, gone.signal); // Every waiting operation adds a listener.
    const address = request.socket.remoteAddress ?? null;
    const extra: Extra = {
      socket,
      key: headerKey(request),
      address,
      gone: gone.signal,
      sent: new Sent(),
      release: null,
    };
    const receive = receiver(socket, limits, logger);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => send(socket, text, limits),
        close: (code, reason = '') => socket.close(code, shortReason(reason)),
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
      extra.sent.close();
      closed(code, String(reason)).catch((error: unknown) =>
        logger.error(toFields(error), 'a WebSocket did not close cleanly'),
      );
    });
  }

  return {
    upgrade: (request, socket, head) => sockets.handleUpgrade(request, socket, head, open),
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
    onSubscribe({ extra, subscriptions }, id, payload) {
      if (Object.keys(subscriptions).length > limits.operationsPerSocket) {
        const extensions = { code: 'too_many_operations', max: limits.operationsPerSocket };
        return [new GraphQLError('Too many operations are running on this WebSocket', { extensions })];
      }
      const { key, gone: signal, address, sent } = extra;
      const whenSent = (act: () => void) => sent.whenSent(id, act);
      return run.prepare(payload, { key, signal, address, requestId: randomUUID(), whenSent });
    },
    onComplete: ({ extra }, id) => extra.sent.complete(id),
    execute: run.execute,
    subscribe: run.subscribe,
  };
}

function noHandshake({ message }: Error): Reply {
  const detail = `Not a WebSocket handshake: ${message}`;
  return { status: 400, body: { detail, code: 'invalid_http' }, headers: { 'Sec-WebSocket-Version': '13' } };
}

function toFields(error: unknown): Readonly<{ error: string | undefined }> {
  return { error: error instanceof Error ? error.stack : String(error) };
}

function headerKey({ headers }: IncomingMessage): string {
  const key = headers['api-key'];
  return typeof key === 'string' ? key.trim() : '';
}

/** Reads the parameter `API-Key`, in any case: browsers cannot send headers with a WebSocket. */
function parameterKey(parameters: Readonly<Record<string, unknown>> = {}): string {
  const named = Object.entries(parameters).find(([name]) => /^api[-_]?key$/i.test(name));
  return typeof named?.[1] === 'string' ? named[1].trim() : '';
}

/** The reason of a close: a frame may have 123 bytes of it, but the protocol repeats ids of any length. */
function shortReason(reason: string): string {
  return Buffer.byteLength(reason) <= 123 ? reason : excerpt(reason, 39);
}

type Take = (text: string) => Promise<void>;

/** Passes on the messages of a socket; closes it if there are too many, or if handling one fails. */
function receiver(socket: WebSocket, limits: LiveLimits, logger: Logger) {
  const mayReceive = limitMessages(limits);

  /** Stops reading from the socket, even the client's close frame. */
  function refuse(): void {
    socket.close(...refusals.tooManyMessages);
    socket.pause();
    setTimeout(() => socket.terminate(), limits.goodbyeMs).unref();
  }

  return async (data: RawData, take: Take): Promise<void> => {
    if (socket.readyState !== socket.OPEN) return;
    if (!mayReceive()) return refuse();
    try {
      await take(String(data));
    } catch (error) {
      if (socket.readyState !== socket.OPEN) return;
      logger.error(toFields(error), 'a WebSocket message failed');
      socket.close(4500, 'Internal server error');
    }
  };
}

/** Sends a text; resolves when it was sent, so that the next event is requested only then. */
function send(socket: WebSocket, text: string, { bufferedBytes }: LiveLimits): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    socket.send(text, () => resolve()); // An error closes the socket, which ends its subscriptions.
    if (socket.bufferedAmount - text.length > bufferedBytes) socket.terminate();
  });
}

/** Pings a client, and ends the connection if it no longer answers. */
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
