import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ReplyError } from '../../rest/index.ts';
import type { Reply } from '../../rest/index.ts';
import type { Notifications } from '../backing/index.ts';
import { isStopping } from '../http/admission.ts';
import { refuseRaw } from '../http/client-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { limits as standard } from '../http/limits.ts';
import type { Logger } from '../observability/logger.ts';
import { watchAccess } from './access-watch.ts';
import { EndableSource } from './endable-source.ts';
import { sendEvents } from './event-stream.ts';
import type { EventStream } from './event-stream.ts';
import { liveLimits } from './limits.ts';
import type { LiveLimits } from './limits.ts';
import { createRunDocument } from './run-document.ts';
import type { RunDocumentDeps } from './run-document.ts';
import { createWebSocketEndpoint } from './web-socket.ts';

export { liveLimits } from './limits.ts';
export type { LiveLimits } from './limits.ts';

/** What a stream is made of, and what comes before it. */
export type Streamed<T> = Omit<EventStream<T>, 'stop'> & Readonly<{ preamble?: string }>;

export type LiveDeps = RunDocumentDeps &
  Readonly<{ notifications: Notifications; logger: Logger; limits?: LiveLimits | undefined }>;

/** Connections that stay open: event streams over HTTP, and WebSockets. */
export type Live = Readonly<{
  /** Takes a connection that asks to become a WebSocket at /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Answers with a stream, for as long as its key is good.
   *
   * @throws ReplyError 429 when the key has too many streams; the source is then told to end.
   */
  stream<T>(exchange: Exchange, status: number, head: readonly string[], stream: Streamed<T>): Promise<void>;
  /** The same for a reply of REST. */
  reply(exchange: Exchange, reply: Reply): Promise<void>;
  /** Ends all of them in good order; their clients may connect again. */
  close(): Promise<void>;
}>;

export function openLive({ limits = liveLimits, notifications, logger, ...deps }: LiveDeps): Live {
  const { authenticate } = deps;
  const access = watchAccess(authenticate, notifications, limits);
  const isKnown = async (key: string) => (await authenticate(key)) !== null;
  const sockets = createWebSocketEndpoint({ run: createRunDocument(deps), access, isKnown, limits, logger });
  const streams = new Set<AbortController>();
  let isClosing = false;

  const live: Live = {
    upgrade(request, socket, head) {
      if (isClosing) refuseRaw(request, socket, isStopping, standard.lingerMs);
      else sockets.upgrade(request, socket, head);
    },
    async stream(exchange, status, head, { preamble = '', ...stream }) {
      const { outgoing, method } = exchange;
      const key = exchange.header('api-key') ?? '';
      const stop = new AbortController();
      const release = key === '' ? () => {} : access.hold(key, 'stream', () => stop.abort());
      if (release === null || method === 'HEAD') {
        new EndableSource(stream.source).end();
        if (release === null) throw tooManyStreams(limits);
        release();
        exchange.startReply(status, head).end();
        return;
      }
      if (isClosing) stop.abort();
      streams.add(stop);
      try {
        exchange.startReply(status, head).write(preamble);
        await sendEvents(outgoing, { ...stream, stop: stop.signal }, limits);
      } finally {
        streams.delete(stop);
        release();
      }
    },
    reply(exchange, { status, headers = {}, stream }) {
      if (stream === undefined) throw new Error('the reply is no stream');
      return live.stream(exchange, status, [...exchange.headers(), ...Object.entries(headers).flat()], stream);
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
