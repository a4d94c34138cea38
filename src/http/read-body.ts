import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReplyError } from '../../rest/index.ts';
import { malformed, timedOut } from './client-error.ts';
import type { Limits } from './limits.ts';

/**
 * Reads a body to its end.
 *
 * @throws ReplyError 413 when it is too large, 408 when it stops coming, 400 when it ends early.
 */
export function readBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { bodyBytes, bodyIdleMs }: Limits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] | null = [];
    let size = 0;
    const end = (act: () => void) => {
      if (parts === null) return;
      incoming.setTimeout(0);
      act();
      parts = null; // What still comes is thrown away; the reply is on its way.
    };
    const refuse = (error: ReplyError) => end(() => reject(error));
    const { expect, 'content-length': length = '0' } = incoming.headers;
    if (Number(length) > bodyBytes) return refuse(tooLarge(bodyBytes));
    if (expect !== undefined) outgoing.writeContinue();
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      parts?.push(part);
      if (size > bodyBytes) refuse(tooLarge(bodyBytes));
    });
    incoming.once('end', () => {
      end(() => resolve(parts?.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts ?? [], size)));
    });
    incoming.once('error', () => refuse(new ReplyError(malformed('the body ends early'))));
    incoming.setTimeout(bodyIdleMs, () => refuse(new ReplyError(timedOut())));
  });
}

function tooLarge(bodyBytes: number): ReplyError {
  const detail = `The body is larger than ${bodyBytes / 2 ** 20} MiB`;
  return new ReplyError({ status: 413, body: { detail, code: 'too_large' } });
}
