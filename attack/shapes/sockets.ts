// WebSockets of GraphQL that do what their protocol does not want.
import type { Exchange, KeyName, Shape, Target } from '../exchange.ts';
import { frame, message, webSocket } from '../web-socket.ts';

const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const mebibyte = 2 ** 20;

type Socket = Readonly<{
  frames: (target: Target) => Iterable<Buffer | number>;
  key?: KeyName;
  ending?: Exchange['ending'];
  reader?: Exchange['reader'];
  holdMs?: number;
}>;

/** The greeting, and time for the service to check the key: before its answer no operation may be sent. */
const init = [message({ type: 'connection_init', payload: {} }), 100] as const;
const subscribe = (id: string, query: string) => message({ type: 'subscribe', id, payload: { query } });
const follow = ({ operation }: Target) => `subscription { operationProgress(id: "${operation}") { sequence } }`;

const sockets: Readonly<Record<string, Socket>> = {
  'no init': { frames: () => [] },
  'init with a wrong key': { frames: () => [message({ type: 'connection_init', payload: { 'API-Key': 'vt_wrong' } })] },
  'init twice': { key: 'viewer', frames: () => [...init, ...init] },
  'subscribe before init': { frames: (target) => [subscribe('1', follow(target))] },
  'one id twice': {
    key: 'viewer',
    frames: (target) => [...init, subscribe('1', follow(target)), subscribe('1', follow(target))],
  },
  '1 000 subscriptions': {
    key: 'viewer',
    frames: (target) => [...init, ...repeat(1_000, (i) => subscribe(String(i), follow(target)))],
  },
  '90 lists': {
    key: 'viewer',
    holdMs: 3_000,
    frames: () => [
      ...init,
      ...repeat(90, (i) => subscribe(String(i), '{ images(limit: 1000) { results { caption } } }')),
    ],
  },
  '90 lists, not read': {
    key: 'viewer',
    reader: 'none',
    holdMs: 3_000,
    frames: () => [
      ...init,
      ...repeat(90, (i) => subscribe(String(i), '{ images(limit: 1000) { results { caption } } }')),
    ],
  },
  'a message of 2 MiB': { key: 'viewer', frames: () => [...init, frame({ payload: 'x'.repeat(2 * mebibyte) })] },
  'a length of an exbibyte': { key: 'viewer', frames: () => [...init, frame({ length: 2 ** 52 })] },
  'fragments without an end': {
    key: 'viewer',
    frames: () => [
      ...init,
      frame({ isLast: false, payload: 'a' }),
      ...repeat(5_000, () => frame({ opcode: 'continuation', isLast: false, payload: 'a' })),
    ],
  },
  'a continuation of nothing': {
    key: 'viewer',
    frames: () => [...init, frame({ opcode: 'continuation', payload: 'a' })],
  },
  'without a mask': {
    key: 'viewer',
    frames: () => [frame({ payload: '{"type":"connection_init"}', isMasked: false })],
  },
  'a reserved kind': { key: 'viewer', frames: () => [...init, frame({ opcode: 'reserved', payload: 'a' })] },
  'bytes that are no text': {
    key: 'viewer',
    frames: () => [...init, frame({ payload: Buffer.from([0xff, 0xfe, 0xc0]) })],
  },
  'a binary message': {
    key: 'viewer',
    frames: () => [...init, frame({ opcode: 'binary', payload: Buffer.alloc(1000) })],
  },
  'no JSON': { key: 'viewer', frames: () => [...init, frame({ payload: '{' })] },
  'deep JSON': { key: 'viewer', frames: () => [...init, frame({ payload: '['.repeat(mebibyte / 2) })] },
  'JSON of other kinds': {
    key: 'viewer',
    frames: () => ['null', '1', '[]', '{"type":7}', '{"type":"x"}'].map((payload) => frame({ payload })),
  },
  'pings by the thousand': {
    key: 'viewer',
    frames: () => [...init, ...repeat(5_000, () => frame({ opcode: 'ping', payload: 'p' }))],
  },
  'a ping too long': { key: 'viewer', frames: () => [...init, frame({ opcode: 'ping', payload: 'p'.repeat(200) })] },
  'pings of the protocol': {
    key: 'viewer',
    frames: () => [...init, ...repeat(2_000, () => message({ type: 'ping' }))],
  },
  'a close of no code': {
    key: 'viewer',
    frames: () => [...init, frame({ opcode: 'close', payload: Buffer.from([0]) })],
  },
  'complete of nothing': {
    key: 'viewer',
    frames: () => [...init, ...repeat(500, (i) => message({ type: 'complete', id: String(i) }))],
  },
  'reset at once': { key: 'viewer', frames: () => init, ending: 'reset at once' },
  'reset while it follows': {
    key: 'viewer',
    frames: (target) => [...init, subscribe('1', follow(target))],
    ending: 'reset soon',
  },
  'ended while it lists': {
    key: 'viewer',
    frames: () => [...init, subscribe('1', '{ images(limit: 1000) { results { caption } } }')],
    ending: 'reset at the reply',
  },
  'a write without a right': {
    key: 'viewer',
    frames: () => [...init, subscribe('1', 'mutation { deleteImages(ids: ["a"]) { __typename } }')],
  },
  'bytes instead of frames': { key: 'viewer', frames: () => [Buffer.alloc(10_000, 'GET / HTTP/1.1\r\n')] },
};

export const socketShapes: readonly Shape[] = Object.entries(sockets).map(
  ([name, { frames, key, ending = 'kept', reader = 'all', holdMs = 600 }]) => ({
    name: `socket: ${name}`,
    lane: 'slow',
    weight: 1,
    async act({ target, play }) {
      await play({ parts: webSocket(target, frames(target), { key: key ?? null }), ending, reader, holdMs });
    },
  }),
);
