/** One fault of a request, as HTTPValidationError lists them. */
export type Problem = Readonly<{
  type: string;
  loc: readonly string[];
  msg: string;
  input: unknown;
  ctx?: Readonly<Record<string, unknown>>;
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

/** Leaves the handling of a request with an answer. */
export class ReplyError extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`answered ${reply.status}`);
    this.reply = reply;
  }
}

/** 422 with the faults of a request; `omitted` says how many are not listed. */
export function invalid(
  { listed, count }: Readonly<{ listed: readonly Problem[]; count: number }>,
  hint: string | null = null,
): ReplyError {
  const omitted = count - listed.length;
  const body = { detail: listed, ...(omitted > 0 && { omitted }) };
  return new ReplyError({ status: 422, body, ...(hint !== null && { problem: { hint } }) });
}

export function refuse(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): ReplyError {
  return new ReplyError({ status, body: { detail, ...more } });
}
