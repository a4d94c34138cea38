import { form, formPart, formType, json, jsonType, multipartType } from '../request.ts';
import type { Lane } from '../exchange.ts';

export type HostileBody = Readonly<{ type: string; lane?: Lane; make: () => Buffer }>;

const mebibyte = 2 ** 20;
const fill = (bytes: number, pattern: string, before = '', after = '') =>
  Buffer.concat([Buffer.from(before), Buffer.alloc(bytes, pattern), Buffer.from(after)]);
const repeat = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const many = (count: number, prefix: string) => Object.fromEntries(repeat(count, (i) => [`${prefix}${i}`, i]));

/** Bodies of any endpoint that reads JSON. */
export const jsonBodies = {
  empty: { type: jsonType, make: () => Buffer.alloc(0) },
  'not JSON': { type: jsonType, make: () => Buffer.from('{"query": "{ me', 'latin1') },
  'not UTF-8': { type: jsonType, make: () => Buffer.from('[{"id":"\xff\xfe\xc0\x80"}]', 'latin1') },
  'lone surrogates': { type: jsonType, make: () => Buffer.from('[{"id":"a","title":"\\ud800\\udfff\\udc00"}]') },
  'NUL in a text': { type: jsonType, make: () => Buffer.from('[{"id":"a\\u0000b","title":"\\u0000"}]') },
  'a byte order mark': { type: jsonType, make: () => Buffer.from('\ufeff[{"id":"a"}]') },
  null: { type: jsonType, make: () => Buffer.from('null') },
  'a number of 100 000 digits': { type: jsonType, make: () => fill(100_000, '9', '[', ']') },
  'numbers beyond doubles': { type: jsonType, make: () => Buffer.from('[{"id":"a","width":1e999,"height":-1e-999}]') },
  'deep arrays, 100 kB': { type: jsonType, make: () => fill(100_000, '[') },
  'deep arrays, closed': { type: jsonType, make: () => Buffer.concat([fill(50_000, '['), fill(50_000, ']')]) },
  'deep objects': {
    type: jsonType,
    make: () => Buffer.from(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  },
  'deep arrays, 31 MiB': { type: jsonType, lane: 'heavy', make: () => fill(31 * mebibyte, '[') },
  'wide arrays, 4 MiB': { type: jsonType, lane: 'heavy', make: () => fill(4 * mebibyte - 1, '[],', '[', '[]]') },
  'wide arrays, 31 MiB': { type: jsonType, lane: 'heavy', make: () => fill(31 * mebibyte - 4, '[],', '[', '[]]') },
  'wide objects, 16 MiB': { type: jsonType, lane: 'heavy', make: () => fill(16 * mebibyte - 4, '{},', '[', '{}]') },
  'one text of 31 MiB': { type: jsonType, lane: 'heavy', make: () => fill(31 * mebibyte, 'a', '["', '"]') },
  'escapes, 16 MiB': { type: jsonType, lane: 'heavy', make: () => fill(16 * mebibyte, '\\u00e9', '["', '"]') },
  'digits, 8 MiB': { type: jsonType, lane: 'heavy', make: () => fill(8 * mebibyte, '1,', '[', '1]') },
  'blanks, 31 MiB': { type: jsonType, lane: 'heavy', make: () => fill(31 * mebibyte, ' ', '[', ']') },
  '100 000 names in one object': { type: jsonType, make: () => json([{ id: 'a', ...many(100_000, 'x') }]) },
  'one name 100 000 times': { type: jsonType, make: () => fill(600_000, '"a":1,', '[{', '"id":"a"}]') },
  'names of prototypes': {
    type: jsonType,
    make: () => Buffer.from('[{"__proto__":{"id":"a"},"constructor":{"prototype":1},"toString":1,"hasOwnProperty":1}]'),
  },
  'one element beyond 10 000': {
    type: jsonType,
    lane: 'heavy',
    make: () => json(repeat(10_001, (i) => ({ id: `e${i}` }))),
  },
  'a body beyond 32 MiB': { type: jsonType, lane: 'heavy', make: () => fill(33 * mebibyte, ' ') },
} as const satisfies Record<string, HostileBody>;

const wrongKeywords = (elements: number, count: number) => {
  const element = { id: 'a', keywords: repeat(count, () => 1) };
  return json(repeat(elements, () => element));
};

/** Batches of records. */
export const batches = {
  '10 000 elements of 1 500 wrong keywords': {
    type: jsonType,
    lane: 'heavy',
    make: () => wrongKeywords(10_000, 1_500),
  },
  '1 400 elements of 1 500 wrong keywords': { type: jsonType, lane: 'heavy', make: () => wrongKeywords(1_400, 1_500) },
  'one element of 200 000 wrong keywords': { type: jsonType, lane: 'heavy', make: () => wrongKeywords(1, 200_000) },
  '10 000 elements that are no objects': { type: jsonType, make: () => json(repeat(10_000, () => 7)) },
  '10 000 elements without an id': { type: jsonType, make: () => json(repeat(10_000, () => ({ title: 'x' }))) },
  '10 000 elements of one id': {
    type: jsonType,
    lane: 'heavy',
    make: () => json(repeat(10_000, () => ({ id: 'same' }))),
  },
  '10 000 elements, every field wrong': {
    type: jsonType,
    lane: 'heavy',
    make: () =>
      json(
        repeat(10_000, (i) => ({
          id: i,
          title: 1,
          caption: [],
          keywords: 'no list',
          date: 'never',
          width: 'wide',
          src: 7,
          lang: 'xx',
        })),
      ),
  },
  'paths outside': {
    type: jsonType,
    make: () =>
      json(
        ['../../etc/passwd', '/etc/passwd', 'a\u0000.jpg', '%2e%2e/x', 'c:\\x', '//x', '.', 'a/'.repeat(5_000)].map(
          (path, i) => ({ id: `p${i}`, src_path: path }),
        ),
      ),
  },
  'addresses inside': {
    type: jsonType,
    make: () =>
      json(
        [
          'http://127.0.0.1:1/',
          'http://[::1]/',
          'http://169.254.169.254/',
          'file:///etc/passwd',
          'http://0/',
          'gopher://x',
        ].map((src, i) => ({ id: `s${i}`, src })),
      ),
  },
  'texts of 1 MiB': {
    type: jsonType,
    lane: 'heavy',
    make: () =>
      json(repeat(20, (i) => ({ id: `t${i}`, title: 'x'.repeat(mebibyte), caption: '\u00e9'.repeat(mebibyte / 4) }))),
  },
  'a strict batch with one unknown name of 4 MiB': {
    type: jsonType,
    lane: 'heavy',
    make: () => json([{ id: 'u', ['n'.repeat(4 * mebibyte)]: 1 }]),
  },
  'ids of every kind': {
    type: jsonType,
    make: () =>
      json([{ id: '' }, { id: ' ' }, { id: 'x'.repeat(10_000) }, { id: '/' }, { id: '\u202e' }, { id: null }, {}]),
  },
} as const satisfies Record<string, HostileBody>;

/** Bodies of endpoints that read forms. */
export const forms = {
  'ampersands, 31 MiB': { type: formType, lane: 'heavy', make: () => fill(31 * mebibyte, '&') },
  'equal signs, 16 MiB': { type: formType, lane: 'heavy', make: () => fill(16 * mebibyte, '=') },
  'percent signs, 1 MiB': { type: formType, make: () => fill(mebibyte, '%') },
  'escapes of one text, 8 MiB': { type: formType, lane: 'heavy', make: () => fill(8 * mebibyte, '%41', 'lang=') },
  '2 000 texts': { type: formType, make: () => Buffer.from(repeat(2_000, (i) => `lang=${i}`).join('&')) },
  'no boundary': { type: 'multipart/form-data', make: () => form(formPart('lang', 'en')) },
  'a boundary of 10 000 bytes': {
    type: `multipart/form-data; boundary=${'b'.repeat(10_000)}`,
    make: () => form(formPart('lang', 'en')),
  },
  'no end': { type: multipartType, make: () => formPart('lang', 'en') },
  'no first boundary': { type: multipartType, lane: 'heavy', make: () => fill(31 * mebibyte, 'x') },
  '10 000 parts': { type: multipartType, make: () => form(...repeat(10_000, (i) => formPart('lang', String(i)))) },
  'a boundary nearly, 16 MiB': {
    type: multipartType,
    lane: 'heavy',
    make: () => Buffer.concat([formPart('lang', 'x').subarray(0, -2), fill(16 * mebibyte, '\r\n--'), form()]),
  },
  'headers of a part, 1 MiB': {
    type: multipartType,
    make: () => Buffer.from(`--b\r\n${`X-Header: ${'v'.repeat(1_000)}\r\n`.repeat(1_000)}\r\nx\r\n--b--\r\n`),
  },
  'a text of 2 MiB': { type: multipartType, make: () => form(formPart('lang', 'x'.repeat(2 * mebibyte))) },
  'a file of 26 MiB': {
    type: multipartType,
    lane: 'heavy',
    make: () => form(formPart('image', Buffer.alloc(26 * mebibyte), 'a.jpg')),
  },
  'a file that is none': { type: multipartType, make: () => form(formPart('image', 'not a picture', 'a.jpg')) },
  'a picture cut off': {
    type: multipartType,
    make: () => form(formPart('image', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x27\x10', 'latin1'), 'a.png')),
  },
  'a picture of SVG with entities': {
    type: multipartType,
    make: () => {
      const entities = repeat(12, (i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
      const svg = `<!DOCTYPE svg [<!ENTITY e0 "laugh">${entities}]><svg xmlns="http://www.w3.org/2000/svg"><text>&e12;</text></svg>`;
      return form(formPart('image', svg, 'a.svg'));
    },
  },
  'a charset nobody knows': {
    type: `${multipartType}; charset=x-none`,
    make: () => form(formPart('lang', 'en')),
  },
} as const satisfies Record<string, HostileBody>;
