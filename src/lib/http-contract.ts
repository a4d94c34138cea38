import type { JsonLimits } from './json/index.ts';

/**
 * The contract between the server and the APIs next to GraphQL: a request, and the reply to it. Neither side knows more
 * about the other.
 */

/** A request as the server passes it to an API. */
export type ApiRequest = {
  /** Path template of its route, once known. */
  route: string;
} & Readonly<{
  method: string;
  /** Path and query as sent. */
  target: string;
  /** The first header of this name (lower case), without surrounding blanks. */
  header(name: string): string | undefined;
  /** The credential: an API key, or the session of a browser. */
  readonly credential: string | undefined;
  /**
   * The whole body; rejects with ReplyError 413 if it is too large, and with what `check` throws for a piece of a
   * long body.
   */
  readBody(check?: (piece: Buffer) => void): Promise<Buffer>;
  /** The body piece by piece; rejects as `readBody` does, and with what `take` throws. */
  readPieces(take: (piece: Buffer) => void): Promise<void>;
  /** The body as it arrives, no faster than it is read; rejects as `readBody` does, but has no size limit. */
  streamBody(): AsyncIterable<Buffer>;
  /** Reports that the work in the body was accepted, so that the next large body of the tenant may be read. */
  bodyHandled(): void;
  /** Fires when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Remote address of the connection. */
  readonly address: string | null;
  /** Tenant whose time slices long work uses, once known. */
  readonly tenantId?: number | undefined;
  /** Limits of a JSON body. */
  readonly jsonLimits: JsonLimits;
  /** Adds a header to the reply, whatever it will be. */
  setHeader(name: string, value: string): void;
  /** Calls `act` when the reply was sent or its client has disconnected. */
  whenSent(act: () => void): void;
}>;

/** A body that is sent while it is produced. */
type ReplyStream = Readonly<{
  source: AsyncIterator<unknown>;
  /** Returns the text of one value. */
  write(value: unknown): string;
  /** Sent before everything else. */
  preamble: string;
  /** Sent after a while without values. */
  heartbeat: string;
  /** Sent after the last value. */
  epilogue?: string;
  /** Sent last if the key is no longer valid. */
  invalidKey: string;
}>;

/** A body that is not JSON. */
type ReplyBytes = Readonly<{ type: string; content: Buffer }>;

/** A reply of the server before it is written: JSON, bytes, a stream, or no body. */
export type Reply = Readonly<{
  status: number;
  body?: unknown;
  /** Additional members of problem details, which are not part of the body because its form is fixed for legacy clients. */
  problem?: Readonly<Record<string, unknown>>;
  /** Version of the resource in the body, independent of the selected fields; its entity tag starts with it. */
  version?: string;
  bytes?: ReplyBytes;
  stream?: ReplyStream;
  headers?: Readonly<Record<string, string>>;
}>;

/** One error of a request, as HTTPValidationError lists them; the `detail` of a body may be a list of these. */
export type Problem = Readonly<{
  type: string;
  loc: readonly string[];
  msg: string;
  input: unknown;
  ctx?: Readonly<Record<string, unknown>>;
}>;

/** A header that our own pages send; pages of other origins cannot send it without a preflight, which is refused. */
export const consoleHeader = 'x-vitrine-console';

/** The media type of RFC 9457, used for errors if the client asks for it. */
export const problemType = 'application/problem+json';

/** Ends the handling of a request with a reply. */
export class ReplyError extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`answered ${reply.status}`);
    this.reply = reply;
  }
}
