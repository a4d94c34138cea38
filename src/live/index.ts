import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ReplyError } from '../../rest/index.ts';
import type { Reply } from '../../rest/index.ts';
import type { Notifications } from '../backing/index.ts';
import { watchAccess } from './access-watch.ts';
import { sendEvents } from './event-stream.ts';
import type { EventStream } from './event-stream.ts';
import { liveLimits } from './limits.ts';
import type { LiveLimits } from './limits.ts';
import { createRunDocument } from './run-document.ts';
import type { RunDocumentDeps } from './run-document.ts';
import { createWebSocketEndpoint } from './web-socket.ts';

export { liveLimits } from './limits.ts';
export type { LiveLimits } from './limits.ts';

export type LiveDeps = RunDocumentDeps & Readonly<{ notifications: Notifications; limits?: LiveLimits }>;

/** Connections that stay open: event streams over HTTP, and WebSockets. */
export type Live = Readonly<{
  /** Takes a request to become a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Writes a stream to the response whose head `writeHead` writes, for as long as its key is good.
   *
   * @throws ReplyError 429 when the key has too many streams; the source is then told to end.
   */
  stream<T>(
    response: ServerResponse,
    key: string,
    stream: Omit<EventStream<T>, 'stop'>,
    writeHead: () => void,
  ): Promise<void>;
  /** Writes a reply that is a stream. @throws ReplyError as `stream` does. */
  reply(request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void>;
  /** Ends all of them in good order; their clients may connect again. */
  close(): Promise<void>;
}>;

export function openLive({ limits = liveLimits, notifications, ...deps }: LiveDeps): Live {
  const { authenticate, logger } = deps;
  const access = watchAccess(authenticate, notifications, limits);
  const isKnown = async (key: string) => (await authenticate(key)) !== null;
  const sockets = createWebSocketEndpoint({ run: createRunDocument(deps), access, isKnown, limits, logger });
  const streams = new Set<AbortController>();
  let isClosing = false;

  const live: Live = {
    upgrade(request, socket, head) {
      const path = (request.url ?? '').split('?', 1)[0];
      if (path !== '/graphql' && path !== '/graphql/') return refuse(socket, '404 Not Found', { detail: 'Not Found' });
      if (isClosing) return refuse(socket, '503 Service Unavailable', { detail: 'The service is stopping' });
      sockets.upgrade(request, socket, head);
    },
    async stream(response, key, stream, writeHead) {
      const stop = new AbortController();
      const release = key === '' ? () => {} : access.hold(key, 'stream', () => stop.abort());
      if (release === null) {
        await stream.source.return?.();
        throw tooManyStreams(limits);
      }
      if (isClosing) stop.abort();
      streams.add(stop);
      try {
        writeHead();
        await sendEvents(response, { ...stream, stop: stop.signal }, limits);
      } finally {
        streams.delete(stop);
        release();
      }
    },
    async reply({ method, headers: { 'api-key': key } }, response, { status, headers, stream }) {
      if (stream === undefined || method === 'HEAD') {
        response.writeHead(status, headers).end();
        await stream?.source.return?.();
        return;
      }
      await live.stream(response, String(key), stream, () => {
        response.writeHead(status, headers).write(stream.preamble);
      });
    },
    async close() {
      isClosing = true;
      for (const stop of streams) stop.abort();
      await sockets.close();
      access.close();
    },
  };
  return live;
}

function tooManyStreams({ streamsPerKey }: LiveLimits): ReplyError {
  const detail = `This API key has ${streamsPerKey} event streams open, which is all it may have`;
  return new ReplyError({
    status: 429,
    body: { detail, code: 'too_many_streams' },
    headers: { 'Retry-After': '5' },
  });
}

/** There is no response to write to yet, only the connection. */
function refuse(socket: Duplex, status: string, body: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
