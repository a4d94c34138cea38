import type { JsonLimits } from './json/index.ts';

/**
 * What the server and the APIs beside GraphQL say to each other: a request, and the reply to it. Neither side knows more
 * of the other.
 */

/** A request as the server hands it over. */
export type ApiRequest = {
  /** Template of the path that it leads to, once that is known. */
  route: string;
} & Readonly<{
  method: string;
  /** Path and query as sent. */
  target: string;
  /** The first header of this name (lower case), without blanks around it. */
  header(name: string): string | undefined;
  /** The credential: an API key, or the session of a browser. */
  readonly credential: string | undefined;
  /** The whole body; rejects with ReplyError 413 when it is too large, and with what `check` throws for a piece of a long one. */
  readBody(check?: (piece: Buffer) => void): Promise<Buffer>;
  /** The body piece by piece; rejects as `readBody` does, and with what `take` throws. */
  readPieces(take: (piece: Buffer) => void): Promise<void>;
  /** The body as it arrives, no faster than it is taken; rejects as `readBody` does, but has no limit of its own. */
  streamBody(): AsyncIterable<Buffer>;
  /** Says that the work of the body is accepted: the next large body of the tenant may be read. */
  bodyHandled(): void;
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
  /** Where the connection comes from. */
  readonly address: string | null;
  /** Whose time its long work takes, once that is known. */
  readonly tenantId?: number | undefined;
  /** What a JSON body may hold. */
  readonly jsonLimits: JsonLimits;
  /** Adds a header to the answer, whatever it will be. */
  setHeader(name: string, value: string): void;
  /** Calls `act` when the reply has left, or its reader has gone. */
  whenSent(act: () => void): void;
}>;

/** A body that is written while it comes into being. */
export type ReplyStream = Readonly<{
  source: AsyncIterator<unknown>;
  /** The text of one value. */
  write(value: unknown): string;
  /** Comes before everything else. */
  preamble: string;
  /** Comes when there was nothing else for a while. */
  heartbeat: string;
  /** Comes after the last value. */
  epilogue?: string;
}>;

/** A body that is no JSON. */
export type ReplyBytes = Readonly<{ type: string; content: Buffer }>;

/** An answer of the server before it is written: JSON, bytes, a stream, or nothing. */
export type Reply = Readonly<{
  status: number;
  body?: unknown;
  /** What problem details say beside the body, whose form legacy clients know. */
  problem?: Readonly<Record<string, unknown>>;
  /** What the body is a state of, whichever of its fields it shows: the beginning of its tag. */
  version?: string;
  bytes?: ReplyBytes;
  stream?: ReplyStream;
  headers?: Readonly<Record<string, string>>;
}>;

/** One fault of a request, as HTTPValidationError lists them: the `detail` of a body may be a list of these. */
export type Problem = Readonly<{
  type: string;
  loc: readonly string[];
  msg: string;
  input: unknown;
  ctx?: Readonly<Record<string, unknown>>;
}>;

/** The media type of RFC 9457, in which the server sends errors to those who ask for it. */
export const problemType = 'application/problem+json';

/** Leaves the handling of a request with an answer. */
export class ReplyError extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`answered ${reply.status}`);
    this.reply = reply;
  }
}
