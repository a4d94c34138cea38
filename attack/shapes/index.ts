import { request } from '../request.ts';
import type { RequestParts } from '../request.ts';
import type { Exchange, Lane, Shape } from '../exchange.ts';
import { endings, readers, speeds } from '../exchange.ts';
import { json, jsonType } from '../request.ts';
import { batches, forms, jsonBodies } from './bodies.ts';
import type { HostileBody } from './bodies.ts';
import { formulas } from './formulas.ts';
import { ambiguousBodies, ambiguousHeads, framings } from './framings.ts';
import type { FramingName } from './framings.ts';
import { documents, uploads } from './graphql.ts';
import { addresses, forbiddenHeaders, headerSets, methods, noRequests, refusedNoRequests } from './heads.ts';
import { connectionRows } from './connection-rows.ts';
import { factRows } from './fact-rows.ts';
import { workRows } from './work-rows.ts';
import { socketShapes } from './sockets.ts';

const rowShapes = [...connectionRows, ...workRows, ...factRows];

type Extra = Partial<Pick<Shape, 'lane' | 'weight' | 'promised'>> & Omit<Exchange, 'parts'>;

/** A shape of one request. */
function one(name: string, parts: RequestParts, { lane = 'quick', weight, promised, ...exchange }: Extra = {}): Shape {
  return {
    name,
    lane,
    weight: weight ?? (lane === 'heavy' ? 1 : 10),
    ...(promised !== undefined && { promised }),
    async act({ target, play }) {
      await play({ parts: request(target, parts), isHead: parts.method === 'HEAD', ...exchange });
    },
  };
}

const small = json([{ id: 'attack-1', title: 'x' }]);
/** Statuses of what is refused before it is asked who sends it. */
const refusals = [400, 405, 408, 411, 413, 414, 431, 501, 505];

/** Where each kind of body is sent. */
const takers: Readonly<Record<string, Pick<RequestParts, 'method' | 'path' | 'key'>>> = {
  imgs: { method: 'POST', path: '/imgs', key: 'editor' },
  'imgs, strict': { method: 'PUT', path: '/imgs?strict=true&upsert=true', key: 'editor' },
  delete: { method: 'POST', path: '/imgs/delete', key: 'editor' },
  vids: { method: 'PATCH', path: '/vids', key: 'editor' },
  graphql: { method: 'POST', path: '/graphql', key: 'viewer' },
  tag: { method: 'POST', path: '/tag/image', key: 'tagger' },
  'query image': { method: 'POST', path: '/query_imgs', key: 'viewer' },
  'imgs, without a key': { method: 'POST', path: '/imgs', key: null },
  'graphql, without a key': { method: 'POST', path: '/graphql', key: null },
  'tag, without a key': { method: 'POST', path: '/tag/image', key: null },
};

function sent(kind: string, bodies: Readonly<Record<string, HostileBody>>, names: readonly string[]): Shape[] {
  return names.flatMap((taker) =>
    Object.entries(bodies).map(([name, { type, lane = 'quick', make }]): Shape => ({
      name: `${kind}: ${name} to ${taker}`,
      lane,
      weight: lane === 'heavy' ? 1 : 10,
      async act({ target, play }) {
        await play({ parts: request(target, { path: '/', ...takers[taker], type, body: make() }) });
      },
    })),
  );
}

const framingNames = Object.keys(framings) as FramingName[];
const waiting: readonly FramingName[] = [
  'length too long',
  'length of a terabyte',
  'chunked without an end',
  'chunk size huge',
];

const framingShapes = framingNames.flatMap((framing) => {
  const isRefused = ambiguousHeads.includes(framing);
  const extra: Extra = {
    ...(isRefused && { promised: refusals }),
    ...(waiting.includes(framing) && { lane: 'slow', ending: 'kept' }),
  };
  const post = { method: 'POST', type: jsonType, framing, body: small } as const;
  return [
    one(
      `framing: ${framing} to imgs`,
      { ...post, path: '/imgs', key: 'editor' },
      {
        ...extra,
        ...(ambiguousBodies.includes(framing) && { promised: refusals }),
      },
    ),
    one(`framing: ${framing} of a GET`, { path: '/health', framing, body: small }, extra),
    one(`framing: ${framing}, reset soon`, { ...post, path: '/graphql' }, { ending: 'reset soon' }),
  ];
});

const headShapes = [
  ...methods.flatMap((method) =>
    ['/', '/imgs', '/graphql', '*'].map((path) =>
      one(
        `method: ${method.slice(0, 12)} of ${path}`,
        { method, path, key: 'viewer' },
        { ending: method === 'CONNECT' ? 'reset soon' : 'read' },
      ),
    ),
  ),
  ...Object.entries(addresses).flatMap(([name, path]) => [
    one(`address: ${name}`, { path, key: 'viewer' }),
    one(`address: ${name}, without a key`, { path }),
  ]),
  ...Object.entries(headerSets).flatMap(([name, headers]) => {
    const extra = forbiddenHeaders.includes(name) ? { promised: refusals } : {};
    const keyed = headers.some(([header]) => header === 'API-Key') ? null : ('viewer' as const);
    const isUpgrade = headers.some(([header]) => header === 'Upgrade');
    const ending: Extra = isUpgrade ? { lane: 'slow', ending: 'kept', holdMs: 300 } : {};
    return [
      one(`headers: ${name} of imgs`, { path: '/imgs?limit=5', key: keyed, headers }, { ...extra, ...ending }),
      one(`headers: ${name} of graphql`, { path: '/graphql?query={__typename}', headers }, { ...extra, ...ending }),
      one(
        `headers: ${name} of a POST`,
        { method: 'POST', path: '/imgs', key: keyed, headers, type: jsonType, body: small },
        { ...extra, ...ending },
      ),
    ];
  }),
  ...Object.entries(noRequests).map(([name, text]): Shape => ({
    name: `no request: ${name}`,
    lane: 'quick',
    weight: 10,
    ...(refusedNoRequests.includes(name) && { promised: refusals }),
    async act({ play }) {
      await play({ parts: [text], ending: 'half closed', maxMs: 3_000 });
    },
  })),
];

const formulaShapes = Object.entries(formulas).flatMap(([name, formula]) => [
  one(`formula: ${name} in a list`, { path: `/imgs?limit=5&q=${encodeURIComponent(formula)}`, key: 'viewer' }),
  one(
    `formula: ${name} explained`,
    { path: `/imgs/explain?q=${encodeURIComponent(formula)}`, key: 'viewer' },
    { weight: 2 },
  ),
]);

/** Ordinary requests whose connection is treated badly. */
const victims: Readonly<Record<string, RequestParts>> = {
  list: { path: '/imgs?limit=200', key: 'viewer' },
  page: { path: '/graphql', headers: [['Accept', 'text/html']] },
  write: { method: 'POST', path: '/imgs', key: 'editor', type: jsonType, body: small },
};

const connectionShapes = Object.entries(victims).flatMap(([victim, parts]) => [
  ...speeds.map((speed) => one(`speed: ${speed}, ${victim}`, parts, { speed, lane: 'slow' as Lane })),
  ...readers.map((reader) => one(`reader: ${reader}, ${victim}`, parts, { reader, lane: 'slow' as Lane })),
  ...endings.map((ending) =>
    one(`ending: ${ending}, ${victim}`, parts, { ending, lane: ending === 'kept' ? 'slow' : 'quick' }),
  ),
]);

const pipelines = Object.entries(victims).map(([victim, parts]): Shape => ({
  name: `pipeline: 80 of ${victim}`,
  lane: 'heavy',
  weight: 5,
  async act({ target, play }) {
    const bytes = [...request(target, parts)].map((part) => Buffer.from(part as string, 'latin1'));
    await play({ parts: [Buffer.concat(Array.from({ length: 80 }, () => bytes).flat())], replies: 80 });
  },
}));

/** Every kind of hostile exchange, by its name. */
export const shapes: readonly Shape[] = [
  ...rowShapes,
  ...framingShapes,
  ...headShapes,
  ...sent('JSON', jsonBodies, ['imgs', 'delete', 'graphql', 'imgs, without a key']),
  ...sent('batch', batches, ['imgs', 'imgs, strict', 'vids']),
  ...sent('form', forms, ['tag', 'query image', 'tag, without a key']),
  ...sent('document', documents, ['graphql', 'graphql, without a key']),
  ...sent('upload', uploads, ['graphql']),
  ...formulaShapes,
  ...connectionShapes,
  ...pipelines,
  ...socketShapes,
];

/** Of them, what was once found to end, to block or to starve the service, as far as it does so within seconds. */
export const rowNames: readonly string[] = rowShapes.filter(({ isLong }) => isLong !== true).map(({ name }) => name);
