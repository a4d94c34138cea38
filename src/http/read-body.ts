import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReplyError } from '../../rest/index.ts';
import { malformed, timedOut } from './client-error.ts';
import type { Limits } from './limits.ts';

/** Takes the memory for a body that turns out not to be small. */
export type Grow = () => Promise<void>;

/** Bodies up to this size are small. */
export const smallBytes = 64 * 1024;

/**
 * Reads a body to its end, and gives each piece away as it comes.
 *
 * @throws ReplyError 413 when it is too large, 408 when it stops coming, 400 when it ends early; and
 *   what `take` throws.
 */
export function readPieces(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { bodyBytes, bodyIdleMs }: Limits,
  take: (piece: Buffer) => void,
  grow: Grow | null = null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let size = 0;
    let isGrown = grow === null;
    const end = (act: () => void) => {
      if (isOver) return;
      isOver = true; // What still comes is thrown away; the reply is on its way.
      incoming.setTimeout(0);
      act();
    };
    const refuse = (error: unknown) => end(() => reject(error));
    const { expect, 'content-length': length = '0' } = incoming.headers;
    if (Number(length) > bodyBytes) return refuse(tooLarge(bodyBytes));
    if (expect !== undefined) outgoing.writeContinue();
    incoming.on('data', (piece: Buffer) => {
      size += piece.length;
      if (isOver) return;
      if (size > bodyBytes) return refuse(tooLarge(bodyBytes));
      if (!isGrown && size > smallBytes) {
        isGrown = true;
        incoming.pause();
        grow?.().then(() => incoming.resume(), refuse);
      }
      try {
        take(piece);
      } catch (error) {
        refuse(error);
      }
    });
    incoming.once('end', () => end(resolve));
    incoming.once('error', () => refuse(new ReplyError(malformed('the body ends early'))));
    incoming.setTimeout(bodyIdleMs, () => refuse(new ReplyError(timedOut())));
  });
}

/** Reads a whole body. @throws ReplyError as `readPieces` does. */
export async function readBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limits: Limits,
  grow: Grow | null,
): Promise<Buffer> {
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > largeBytes && length <= limits.bodyBytes) return readInto(Buffer.allocUnsafeSlow(length));
  const pieces: Buffer[] = [];
  await readPieces(incoming, outgoing, limits, (piece) => void pieces.push(piece), grow);
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);

  /** Each piece to its place as it comes: joining them at the end would take the memory twice, and hold the event loop. */
  async function readInto(body: Buffer): Promise<Buffer> {
    let size = 0;
    await readPieces(incoming, outgoing, limits, (piece) => void (size += piece.copy(body, size)));
    return body.subarray(0, size);
  }
}

const largeBytes = 2 ** 20;

function tooLarge(bodyBytes: number): ReplyError {
  const detail = `The body is larger than ${bodyBytes / 2 ** 20} MiB`;
  return new ReplyError({ status: 413, body: { detail, code: 'too_large' } });
}
