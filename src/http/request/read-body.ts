import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { ReplyError } from '../../lib/http-contract.ts';
import { PieceBudget } from '../../lib/piece-budget.ts';
import { isStopping, malformed, timedOut } from '../connection/client-error.ts';
import { decoderOf, isCoded, notCoded } from './content-coding.ts';
import type { Limits } from '../limits.ts';

/** Reserves more memory for a body that turns out not to be small. */
export type Grow = () => Promise<void>;

type PieceOptions = Readonly<{
  grow?: Grow | null;
  onSource?: (source: Readable) => void;
  cut?: AbortSignal | undefined;
}>;

/** Bodies up to this size are small. */
export const smallBytes = 64 * 1024;

/**
 * Reads a body to its end and passes on each decoded piece as it arrives. Decoded bytes count toward the limit;
 * decoding is no faster than the consumer.
 *
 * @param onSource receives the stream, which can be paused.
 * @param cut fires when the service no longer waits for bodies.
 * @throws ReplyError 413 if the body is too large, 408 if it stalls, 400 if it ends early, does not match its content
 * coding or comes in too many small pieces; and what `take` throws.
 */
export function readPieces(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { bodyBytes, bodyIdleMs }: Limits,
  take: (piece: Buffer) => void,
  { grow = null, onSource, cut }: PieceOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let size = 0;
    let isGrown = grow === null;
    const { expect, 'content-length': length = '0', 'content-encoding': coding } = incoming.headers;
    const decoder = decoderOf(coding);
    const source = decoder ?? incoming;
    const end = (act: () => void) => {
      if (isOver) return;
      isOver = true; // Further input is discarded; the reply is being sent.
      incoming.setTimeout(0);
      if (decoder !== null) incoming.unpipe(decoder);
      decoder?.destroy();
      act();
    };
    const refuse = (error: unknown) => end(() => reject(error));
    const budget = new PieceBudget();
    if (Number(length) > bodyBytes) return refuse(tooLarge(bodyBytes));
    // Without a listener, the error of a client that has already disconnected was lost.
    if (incoming.destroyed) return refuse(endsEarly());
    if (expect !== undefined) outgoing.writeContinue();
    onSource?.(source);
    incoming.on('data', (piece: Buffer) => {
      if (!budget.take(piece.length)) refuse(new ReplyError(malformed('its body comes in too many small pieces')));
    });
    source.on('data', (piece: Buffer) => {
      size += piece.length;
      if (isOver) return;
      if (cut?.aborted === true) return refuse(new ReplyError(isStopping));
      if (size > bodyBytes) return refuse(tooLarge(bodyBytes));
      if (!isGrown && size > smallBytes) {
        isGrown = true;
        source.pause();
        grow?.().then(() => source.resume(), refuse);
      }
      try {
        take(piece);
      } catch (error) {
        refuse(error);
      }
    });
    source.once('end', () => end(resolve));
    decoder?.on('error', () => refuse(notCoded(coding)));
    incoming.once('error', () => refuse(endsEarly()));
    incoming.setTimeout(bodyIdleMs, () => refuse(new ReplyError(timedOut())));
    if (decoder !== null) incoming.pipe(decoder);
  });
}

type ReadOptions = Readonly<{
  grow: Grow | null;
  cut?: AbortSignal | undefined;
  check?: ((piece: Buffer) => void) | undefined;
}>;

/**
 * Reads a whole body.
 *
 * @param check receives each piece of a body that is long, or of unknown length, as it arrives.
 * @throws ReplyError as `readPieces` does; what `check` throws.
 */
export async function readBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limits: Limits,
  { grow, cut, check }: ReadOptions,
): Promise<Buffer> {
  const { 'content-length': announced, 'content-encoding': coding } = incoming.headers;
  const length = Number(announced ?? Infinity);
  if (!isCoded(coding) && length > largeBytes && length <= limits.bodyBytes) return readLarge();
  const take = length > largeBytes || isCoded(coding) ? check : undefined;
  return readJoined(take);

  async function readJoined(checkPiece: (piece: Buffer) => void = () => {}): Promise<Buffer> {
    const pieces: Buffer[] = [];
    const collect = (piece: Buffer) => {
      checkPiece(piece);
      pieces.push(piece);
    };
    await readPieces(incoming, outgoing, limits, collect, { grow, cut });
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /**
   * Copies each piece to its position as it arrives: joining them at the end would double the memory and block the
   * event loop. The buffer is allocated only after some megabytes have arrived, because many bodies are refused by
   * their beginning, and each such buffer brings the next garbage collection closer.
   */
  async function readLarge(): Promise<Buffer> {
    const first: Buffer[] = [];
    let body: Buffer | null = null;
    let [firstBytes, size] = [0, 0];
    const place = (piece: Buffer) => void (size += piece.copy(body as Buffer, size));
    const takeLarge = (piece: Buffer) => {
      check?.(piece);
      if (body !== null) return place(piece);
      first.push(piece);
      firstBytes += piece.length;
      if (firstBytes < beginningBytes) return;
      body = Buffer.allocUnsafeSlow(length);
      for (const each of first.splice(0)) place(each);
    };
    await readPieces(incoming, outgoing, limits, takeLarge, { cut });
    return body === null ? Buffer.concat(first) : (body as Buffer).subarray(0, size);
  }
}

const largeBytes = 2 ** 20;
/** Two million short values, the limit for JSON bodies, fit into six megabytes. */
const beginningBytes = 6 * 2 ** 20;

function endsEarly(): ReplyError {
  return new ReplyError(malformed('the body ends early'));
}

function tooLarge(bodyBytes: number): ReplyError {
  const detail = `The body is larger than ${bodyBytes / 2 ** 20} MiB`;
  return new ReplyError({ status: 413, body: { detail, code: 'too_large' } });
}
