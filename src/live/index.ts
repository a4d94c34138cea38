import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import type { Notifications } from '../backing/index.ts';
import { isStopping, refuseRaw } from '../http/connection/client-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { limits as standard } from '../http/limits.ts';
import type { Logger } from '../observability/logger.ts';
import { watchAccess } from './access-watch.ts';
import { EndableSource } from './endable-source.ts';
import { sendEvents } from './event-stream.ts';
import { liveLimits } from './limits.ts';
import type { LiveLimits } from './limits.ts';
import { createRunDocument } from './run-document.ts';
import type { RunDocumentDeps } from './run-document.ts';
import { createWebSocketEndpoint } from './web-socket.ts';

export { liveLimits } from './limits.ts';
export type { LiveLimits } from './limits.ts';

type LiveDeps = RunDocumentDeps &
  Readonly<{ notifications: Notifications; logger: Logger; limits?: LiveLimits | undefined }>;

/** Ask proxies to neither buffer nor compress: nginx would pass on events only when it has several kilobytes of them. */
const streamHeaders = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

/** Connections that stay open: event streams over HTTP, and WebSockets. */
export type Live = Readonly<{
  /** Accepts a connection that requests an upgrade to a WebSocket at /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Sends a reply that is a stream, for as long as its key is valid.
   *
   * @throws ReplyError 429 if the key has too many streams; the source is then closed.
   */
  reply(exchange: Exchange, reply: Reply): Promise<void>;
  /** Closes all connections cleanly; their clients may reconnect. */
  close(): Promise<void>;
}>;

export function openLive({ limits = liveLimits, notifications, logger, ...deps }: LiveDeps): Live {
  const { authenticate } = deps;
  const access = watchAccess(authenticate, notifications, limits);
  const isKnown = async (key: string) => (await authenticate(key)) !== null;
  const sockets = createWebSocketEndpoint({ run: createRunDocument(deps), access, isKnown, limits, logger });
  const streams = new Set<AbortController>();
  let isClosing = false;

  return {
    upgrade(request, socket, head) {
      if (isClosing) refuseRaw(request, socket, isStopping, standard.lingerMs);
      else sockets.upgrade(request, socket, head);
    },
    async reply(exchange, { status, headers = {}, stream }) {
      if (stream === undefined) throw new Error('the reply is not a stream');
      const head = [...exchange.headers(), ...Object.entries({ ...headers, ...streamHeaders }).flat()];
      const { outgoing, method } = exchange;
      const key = exchange.credential ?? '';
      const stop = new AbortController();
      const onLost = (isValid: boolean) => stop.abort(isValid ? undefined : stream.invalidKey);
      const release = key === '' ? () => {} : access.hold(key, 'stream', onLost);
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
        exchange.startReply(status, head).write(stream.preamble);
        await sendEvents(outgoing, { ...stream, stop: stop.signal }, limits);
      } finally {
        streams.delete(stop);
        release();
      }
    },
    async close() {
      isClosing = true;
      for (const stop of streams) stop.abort();
      await sockets.close();
      access.close();
    },
  };
}

function tooManyStreams({ streamsPerKey }: LiveLimits): ReplyError {
  const detail = `This API key has ${streamsPerKey} open event streams, the maximum`;
  return new ReplyError({
    status: 429,
    body: { detail, code: 'too_many_streams' },
    headers: { 'Retry-After': '5' },
  });
}
