import { json, jsonType } from '../request.ts';
import type { HostileBody } from './bodies.ts';

const repeat = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
const document = (query: string, variables?: unknown) => () =>
  json({ query, ...(variables !== undefined && { variables }) });
const mebibyte = 2 ** 20;

/** Names of depth `levels`, each doubling the one before. */
const doubling = (levels: number) =>
  `{ images { ...F0 } } ${repeat(levels, (i) => `fragment F${i} on ImagePage { ...F${i + 1} ...F${i + 1} }`)} ` +
  `fragment F${levels} on ImagePage { count }`;

/** Documents, with their variables and envelopes. */
export const documents = {
  'aliases of a long field': {
    type: jsonType,
    lane: 'heavy',
    make: document(`{ images(limit: 3000) { results { ${repeat(95, (i) => `a${i}: caption`)} } } }`),
  },
  'aliases of a long field, 20 of few': {
    type: jsonType,
    make: document(`{ images(limit: 20) { results { ${repeat(95, (i) => `a${i}: caption`)} } } }`),
  },
  '20 counts': {
    type: jsonType,
    make: document(`{ ${repeat(20, (i) => `c${i}: images(q: "width:${i}..") { count }`)} }`),
  },
  '20 lists': {
    type: jsonType,
    lane: 'heavy',
    make: document(
      `{ ${repeat(20, (i) => `c${i}: images(limit: 1000, page: ${i + 1}) { results { imageId title } }`)} }`,
    ),
  },
  '1 000 aliases of me': { type: jsonType, make: document(`{ ${repeat(1_000, (i) => `m${i}: me { tenant }`)} }`) },
  'fragments in a circle': {
    type: jsonType,
    make: document('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'),
  },
  'fragments that double': { type: jsonType, make: document(doubling(40)) },
  'fragments that nobody knows': { type: jsonType, make: document(`{ ${repeat(3_000, (i) => `...F${i}`)} }`) },
  'deep selections': { type: jsonType, make: document(`${'{ images '.repeat(2_000)}${'}'.repeat(2_000)}`) },
  'deep lists in an argument': {
    type: jsonType,
    make: document(`{ image(id: ${'['.repeat(20_000)}1${']'.repeat(20_000)}) { title } }`),
  },
  'deep list types': {
    type: jsonType,
    make: document(`query ($v: ${'['.repeat(1_500)}ID${']'.repeat(1_500)}) { me { tenant } }`),
  },
  'directives by the thousand': {
    type: jsonType,
    make: document(`{ me ${'@skip(if: false) '.repeat(1_300)} { tenant } }`),
  },
  'unknown fields by the hundred': { type: jsonType, make: document(`{ ${repeat(900, (i) => `imagez${i}`)} }`) },
  'conflicting aliases': {
    type: jsonType,
    make: document(`{ images { results { ${repeat(300, (i) => `x: title y${i}: caption x: caption`)} } } }`),
  },
  'introspection in circles': {
    type: jsonType,
    make: document(`{ __schema { types ${'{ fields { type '.repeat(8)} { name } ${'} }'.repeat(8)} } }`),
  },
  'a comment of 90 000 characters': { type: jsonType, make: document(`# ${'c'.repeat(90_000)}\n{ me { tenant } }`) },
  'a text of 100 000 quotes': {
    type: jsonType,
    make: document(`{ images(q: """${'\\"""'.repeat(20_000)}""") { count } }`),
  },
  'a document of 30 MiB': { type: jsonType, lane: 'heavy', make: document(' '.repeat(30 * mebibyte)) },
  'a variable of 10 MB': {
    type: jsonType,
    lane: 'heavy',
    make: document('query ($q: String) { images(q: $q) { count } }', { q: 'a'.repeat(10_000_000) }),
  },
  'a variable of a wrong kind, 8 MB': {
    type: jsonType,
    lane: 'heavy',
    make: document('query ($q: Int!) { images(limit: $q) { count } }', { q: 'a'.repeat(8_000_000) }),
  },
  'a deep variable': {
    type: jsonType,
    make: () =>
      Buffer.from(
        `{"query":"query($q:String){images(q:$q){count}}","variables":{"q":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
      ),
  },
  '100 000 variables': {
    type: jsonType,
    make: document('{ me { tenant } }', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`v${i}`, i]))),
  },
  'ids by the 100 000': {
    type: jsonType,
    lane: 'heavy',
    make: document('mutation ($i: [ID!]!) { deleteImages(ids: $i) { __typename } }', {
      i: Array.from({ length: 100_000 }, (_, i) => `none-${i}`),
    }),
  },
  'inputs of 10 000 wrong elements': {
    type: jsonType,
    lane: 'heavy',
    make: document('mutation ($i: [ImageInput!]!) { createImages(images: $i) { __typename } }', {
      i: Array.from({ length: 10_000 }, () => ({ id: 7, nothing: 1, keywords: [1, 2, 3], width: 'x' })),
    }),
  },
  'a list of documents': {
    type: jsonType,
    make: () => json(Array.from({ length: 1_000 }, () => ({ query: '{ me { tenant } }' }))),
  },
  'a digest without a document': {
    type: jsonType,
    make: () => json({ extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } }),
  },
  'a digest of another document': {
    type: jsonType,
    make: () =>
      json({ query: '{ me { tenant } }', extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
  },
  'an envelope of other kinds': {
    type: jsonType,
    make: () => json({ query: 7, variables: 'x', operationName: {}, extensions: [] }),
  },
  'an operation that is not there': {
    type: jsonType,
    make: () => json({ query: 'query A { me { tenant } }', operationName: 'B' }),
  },
  'a subscription as a query': {
    type: jsonType,
    make: document('subscription { operationProgress(id: "1") { sequence } }'),
  },
  'numbers beyond BigInt': { type: jsonType, make: document('{ operation(id: "99999999999999999999999999") { id } }') },
  'pages beyond reason': {
    type: jsonType,
    make: document('{ images(limit: 2147483647, page: 2147483647) { count } }'),
  },
  'facets by the dozen': {
    type: jsonType,
    make: document(
      `{ ${repeat(10, (i) => `f${i}: images(q: "width:${i}..") { facets(fields: [keywords, author, city, country]) { name values { value count } } }`)} }`,
    ),
  },
} as const satisfies Record<string, HostileBody>;

const operations = '{"query":"mutation($i:Upload!){uploadQueryImage(image:$i){hash}}","variables":{"i":null}}';
const part = (name: string, content: string, file = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${file === '' ? '' : `; filename="${file}"`}\r\n\r\n${content}\r\n`;
const upload = (...parts: readonly string[]) => ({
  type: 'multipart/form-data; boundary=b',
  make: () => Buffer.from(`${parts.join('')}--b--\r\n`, 'latin1'),
});

/** GraphQL multipart requests. */
export const uploads = {
  'no map': upload(part('operations', operations)),
  'map before operations': upload(part('map', '{"0":["variables.i"]}'), part('operations', operations)),
  'a file before the map': upload(part('operations', operations), part('0', 'x', 'a.jpg')),
  'a map to nowhere': upload(
    part('operations', operations),
    part('map', '{"0":["variables.x.y.z"]}'),
    part('0', 'x', 'a.jpg'),
  ),
  'a map to a prototype': upload(
    part('operations', operations),
    part('map', '{"0":["variables.__proto__.polluted","constructor.prototype.polluted"]}'),
    part('0', 'x', 'a.jpg'),
  ),
  'a map of 50 000 paths': upload(
    part('operations', operations),
    part('map', JSON.stringify({ 0: Array.from({ length: 50_000 }, (_, i) => `variables.i.${i}`) })),
    part('0', 'x', 'a.jpg'),
  ),
  'a file that never comes': upload(part('operations', operations), part('map', '{"0":["variables.i"]}')),
  'a file that nobody asked for': upload(
    part('operations', operations),
    part('map', '{"0":["variables.i"]}'),
    part('1', 'x', 'b.jpg'),
    part('0', 'x', 'a.jpg'),
  ),
  '20 files': upload(
    part('operations', operations),
    part('map', JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, ['variables.i']])))),
    ...Array.from({ length: 20 }, (_, i) => part(String(i), 'x', `${i}.jpg`)),
  ),
  'operations that are no JSON': upload(part('operations', '{'), part('map', '{}')),
  'operations as a list': upload(
    part('operations', `[${operations}]`),
    part('map', '{"0":["0.variables.i"]}'),
    part('0', 'x', 'a'),
  ),
  'a map of null': upload(part('operations', operations), part('map', 'null'), part('0', 'x', 'a.jpg')),
} as const satisfies Record<string, HostileBody>;
