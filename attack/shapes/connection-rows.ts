// What was once found to end the service, or to hold it, by what a connection does; one shape each.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyName, Shape, Stage, Target } from '../exchange.ts';
import { formType, json, jsonType, request } from '../request.ts';
import { ask, repeat, toShapes, write } from './row.ts';
import type { Row } from './row.ts';

const mebibyte = 2 ** 20;
/** Most event streams that one key may have open, and one more. */
const streams = 1_001;
const events = [['Accept', 'text/event-stream']] as const;

const subscription = ({ operation }: Target) =>
  json({ query: `subscription { operationProgress(id: "${operation}") { sequence type } }` });

/** Thirty uploads that stop in the middle. */
async function stall({ target, play }: Stage, key: KeyName | null): Promise<void> {
  const body = Buffer.alloc(31 * mebibyte, ' ');
  const parts = { method: 'POST', path: '/imgs', key, type: jsonType, body } as const;
  await Promise.all(
    repeat(30, () => play({ parts: request(target, parts), speed: 'stalled in the middle', holdMs: 4_000 })),
  );
}

const rows: Readonly<Record<string, Row>> = {
  'row 1: HEAD of a GraphQL event stream': {
    lane: 'quick',
    act: (stage) => ask(stage, { method: 'HEAD', path: '/graphql?query={__typename}', headers: events }),
  },
  'row 1: a subscription reset within 2 ms': {
    lane: 'quick',
    async act({ target, play }) {
      const parts = { method: 'POST', path: '/graphql', key: 'viewer', type: jsonType, headers: events } as const;
      await play({ parts: request(target, { ...parts, body: subscription(target) }), ending: 'reset soon' });
    },
  },
  'row 1: a stream beyond those that a key may have': {
    lane: 'heavy',
    weight: 0.02,
    async act({ target, play }) {
      const blocker = json(repeat(10_000, (i) => ({ id: `held-${i}`, src_path: 'allium-oreophilum.jpg' })));
      const write = { method: 'POST', path: '/imgs', key: 'editor', type: jsonType, body: blocker } as const;
      const created = await play({ parts: request(target, write) });
      if (created.statuses[0] !== 202) return;
      const stream = { method: 'POST', path: '/graphql', key: 'viewer', type: jsonType, headers: events } as const;
      const body = json({
        query: `subscription { operationProgress(id: "${Number(target.operation) + 1}") { sequence } }`,
      });
      const open = (holdMs: number) => play({ parts: request(target, { ...stream, body }), ending: 'kept', holdMs });
      const held = repeat(streams, () => open(4_000));
      await sleep(2_500);
      await Promise.all([open(100), open(100), ...held]);
    },
  },
  'row 2: CONNECT, then a reset': {
    lane: 'quick',
    act: async ({ play }) =>
      void (await play({ parts: ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'], ending: 'reset soon' })),
  },
  'row 2: CONNECT, reset at once': {
    lane: 'quick',
    act: async ({ play }) => void (await play({ parts: ['CONNECT a:1 HTTP/1.1\r\n\r\n'], ending: 'reset at once' })),
  },
  'row 4: 31 MiB of arrays without a key': {
    lane: 'heavy',
    act: (stage) =>
      ask(stage, { method: 'POST', path: '/imgs', type: jsonType, body: Buffer.alloc(31 * mebibyte, '[],') }),
  },
  'row 4: 31 MiB of ampersands without a key': {
    lane: 'heavy',
    act: (stage) =>
      ask(stage, { method: 'POST', path: '/tag/image', type: formType, body: Buffer.alloc(31 * mebibyte, '&') }),
  },
  'row 4: 30 uploads that stall': { lane: 'heavy', act: (stage) => stall(stage, 'editor') },
  'row 4: 30 uploads that stall, without a key': { lane: 'heavy', act: (stage) => stall(stage, null) },
  'row 5: a page that is not read': {
    lane: 'slow',
    async act({ target, play }) {
      const page = request(target, { path: '/graphql', headers: [['Accept', 'text/html']] });
      await play({ parts: page, reader: 'none', holdMs: 3_000 });
    },
  },
  'row 5: 80 pages in one packet, not read': {
    lane: 'heavy',
    async act({ target, play }) {
      const [head] = request(target, { path: '/graphql', headers: [['Accept', 'text/html']] });
      await play({ parts: [String(head).repeat(80)], reader: 'none', holdMs: 5_000 });
    },
  },
  'row 5: 80 lists in one packet, not read': {
    lane: 'heavy',
    async act({ target, play }) {
      const [head] = request(target, { path: '/imgs?limit=1000&fields=caption', key: 'viewer' });
      await play({ parts: [String(head).repeat(80)], reader: 'none', holdMs: 5_000 });
    },
  },
  'row 17: two Host headers': {
    lane: 'quick',
    promised: [400],
    act: async ({ play }) => void (await play({ parts: ['GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'] })),
  },
  'row 17: HTTP/0.9': {
    lane: 'quick',
    promised: [400],
    act: async ({ play }) => void (await play({ parts: ['GET /health\r\n\r\n'] })),
  },
  'row 17: a transfer coding twice': {
    lane: 'quick',
    promised: [400],
    act: (stage) => write(stage, json([{ id: 'a' }]), { framing: 'chunked twice' }),
  },
  'row 19: a client that hangs up': {
    lane: 'quick',
    async act({ target, play }) {
      const list = request(target, { path: '/imgs?limit=1000', key: 'viewer' });
      await play({ parts: list, ending: 'reset soon' });
    },
  },
  'row 20: whether an image is there, asked by a key for videos': {
    lane: 'quick',
    promised: [401, 403, 404],
    act: (stage) => ask(stage, { path: '/imgs/image-1', key: 'videos' }),
  },
};

export const connectionRows: readonly Shape[] = toShapes(rows);
