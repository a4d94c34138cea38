import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReplyError } from '../../rest/index.ts';
import { malformed, timedOut } from './client-error.ts';
import type { Limits } from './limits.ts';

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
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let size = 0;
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
export async function readBody(incoming: IncomingMessage, outgoing: ServerResponse, limits: Limits): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await readPieces(incoming, outgoing, limits, (piece) => void pieces.push(piece));
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

function tooLarge(bodyBytes: number): ReplyError {
  const detail = `The body is larger than ${bodyBytes / 2 ** 20} MiB`;
  return new ReplyError({ status: 413, body: { detail, code: 'too_large' } });
}
