// Frames of a WebSocket client, made by hand: a library would not send what is wrong.
import type { Target } from './exchange.ts';
import { request } from './request.ts';
import type { RequestParts } from './request.ts';

/** Codes of frames. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10, reserved: 11 } as const;

export type Frame = Readonly<{
  opcode?: keyof typeof opcodes;
  payload?: Buffer | string;
  isLast?: boolean;
  isMasked?: boolean;
  /** What the frame says of its length, if that is not the truth. */
  length?: number;
}>;

/** One frame as bytes; the mask is zeros, which leaves the payload as it is. */
export function frame({ opcode = 'text', payload = '', isLast = true, isMasked = true, length }: Frame): Buffer {
  const bytes = Buffer.from(payload);
  const size = length ?? bytes.length;
  const mask = isMasked ? 0x80 : 0;
  const first = (isLast ? 0x80 : 0) | opcodes[opcode];
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = mask | (size < 126 ? size : size < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), bytes]);
}

/** The request that makes a connection a WebSocket of GraphQL, then frames. */
export function* webSocket(
  target: Target,
  frames: Iterable<Buffer | number>,
  parts: Partial<RequestParts> = {},
): Generator<Buffer | string | number> {
  yield* request(target, {
    path: '/graphql',
    ...parts,
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      ['Sec-WebSocket-Protocol', 'graphql-transport-ws'],
      ...(parts.headers ?? []),
    ],
  });
  yield* frames;
}

/** A message of the protocol `graphql-transport-ws`. */
export function message(value: unknown): Buffer {
  return frame({ payload: JSON.stringify(value) });
}
