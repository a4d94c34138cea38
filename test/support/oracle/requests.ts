import fc from 'fast-check';
import type { Endpoint, Parameter } from '../../../rest/endpoints/endpoint.ts';
import type { ValueType } from '../../../rest/endpoints/types.ts';
import { oddJson } from './json.ts';
import { oddForm } from './forms.ts';
import { oddText } from './texts.ts';

/** A request of which every byte is chosen. */
export type OddRequest = Readonly<{
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer | null;
}>;

/** Stands where the key goes. */
export const keyMark = '{api_key}';

/** What the service knows beyond the recorded application: names that would be answered differently on purpose. */
const additiveParameters = ['upsert', 'on_duplicate', 'facets_mode', 'cursor'];
const additiveOfVideos = ['facets', 'count', 'lang'];
const additiveFields = ['src_path', 'img_src', 'img_zoom'];

export function isContracts({ path, method }: Endpoint): boolean {
  if (/^\/(?:duplicates|verdicts)|\/(?:events|explain|delete|poster)$/.test(path)) return false;
  return path !== '/vids' || method === 'GET';
}

function parametersOf({ parameters, path, method }: Endpoint): readonly Parameter[] {
  const isListOfVideos = path === '/vids' && method === 'GET';
  return parameters.filter(
    ({ name, in: place }) =>
      place === 'query' &&
      path !== '/ops/' &&
      !additiveParameters.includes(name) &&
      !(isListOfVideos && additiveOfVideos.includes(name)),
  );
}

/** The body's type without the fields of videos that the recorded application does not know. */
function bodyTypeOf(type: ValueType, path: string): ValueType {
  if (type.kind === 'list') return { ...type, of: bodyTypeOf(type.of, path) };
  if (type.kind !== 'object' || !path.startsWith('/vids')) return type;
  return { ...type, fields: type.fields.filter(({ name }) => !additiveFields.includes(name)) };
}

/** Texts as they stand in a query: escaped, half escaped, or as they are where that is no end of the address. */
function inQuery(text: string, style: number): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  if (style === 0) return escaped.replaceAll('%20', '+');
  if (style === 1) return escaped.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  if (style === 2) return text.replace(/[^\w.~!$'()*,;:@/?-]/g, (sign) => encodeURIComponent(sign.toWellFormed()));
  return escaped;
}

function queryOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const known = parametersOf(endpoint);
  const pair = (name: string, type: ValueType) =>
    fc.tuple(oddText(type), fc.nat(5), fc.nat(30)).map(([text, style, shape]) => {
      if (shape === 0) return name;
      if (shape === 1) return `${encodeURIComponent(name).replace(/^./, (c) => `%${c.charCodeAt(0).toString(16)}`)}=`;
      return `${name}=${inQuery(text, style)}`;
    });
  const odd = fc.constantFrom(
    'unknown=1',
    '&',
    '=',
    '=1',
    '?',
    'WAIT=x',
    'fields[]=x',
    'a%=%zz',
    '%FF=%FF',
    ';',
    '%C3%A9=1',
  );
  const ones = known.map(({ name, type }) => {
    const one = pair(name, type.kind === 'list' ? type.of : type);
    const some = fc.oneof(
      { weight: 6, arbitrary: one.map((each) => [each]) },
      { weight: 1, arbitrary: fc.array(one, { maxLength: 4 }) },
    );
    return fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: some });
  });
  const odds = fc.oneof(
    { weight: 12, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: odd.map((each) => [each]) },
  );
  return fc
    .tuple(fc.tuple(...ones), odds)
    .chain(([lists, more]) => fc.shuffledSubarray([...lists.flat(), ...more], { minLength: lists.flat().length }))
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

/** An id in an address; never one of the words that stand for a path of our own. */
function pathOf({ path, parameters }: Endpoint): fc.Arbitrary<string> {
  const type = parameters.find(({ in: place }) => place === 'path')?.type;
  if (type === undefined) return fc.constant(path);
  const ids = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        '1',
        'a',
        'P0001',
        'a%20b',
        '%41',
        'a%2Fb',
        'a%',
        '%zz',
        '%FF',
        '%C3',
        '%00',
        '%0A',
        'a+b',
        '.a',
        'a;b',
        "a'b",
        'a:b',
        'a@b',
        '{x}',
        '%C3%A9',
      ),
    },
    { weight: 2, arbitrary: oddText(type).map((text) => encodeURIComponent(text.toWellFormed())) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'a/b', '9'.repeat(4301), 'x'.repeat(3000), '%2e', '%2E%2E', '..', '.'),
    },
  );
  return ids
    .filter((id) => !/^(?:explain|delete)$|events$|poster$/.test(id))
    .map((id) => path.replace(/\{\w+\}/, () => id));
}

const keys: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.oneof(
  { weight: 30, arbitrary: fc.constant([['API-Key', keyMark]] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      [],
      [['API-Key', '']],
      [['api-key', `  ${keyMark}\t`]],
      [
        ['API-KEY', keyMark],
        ['api-key', 'other'],
      ],
      [
        ['API-Key', 'other'],
        ['API-Key', keyMark],
      ],
      [['API_Key', keyMark]],
      [['API-Key', 'wrong']],
      [['API-Key', `${keyMark} x`]],
      [['Authorization', `Bearer ${keyMark}`]],
    ) as fc.Arbitrary<readonly (readonly [string, string])[]>,
  },
);

type SentBody = Pick<OddRequest, 'body' | 'headers'>;

function bodyOf({ body, path }: Endpoint): fc.Arbitrary<SentBody> {
  const nothing = fc.constant<SentBody>({ body: null, headers: [] });
  if (body === undefined) {
    const some = fc.constant<SentBody>({
      body: Buffer.from('{broken'),
      headers: [['Content-Type', 'application/json']],
    });
    return fc.oneof({ weight: 9, arbitrary: nothing }, { weight: 1, arbitrary: some });
  }
  const sent = body.kind === 'form' ? oddForm(body.fields) : oddJson(bodyTypeOf(body.type, path));
  return fc.oneof({ weight: 30, arbitrary: sent }, { weight: 1, arbitrary: nothing });
}

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'FOO', 'get'];

/** Odd requests to an endpoint, made from its row of the table. */
export function oddRequestsTo(endpoint: Endpoint): fc.Arbitrary<OddRequest> {
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(endpoint.method) },
    { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
  );
  const ending = fc.oneof(
    { weight: 30, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', '%2F', '%20') },
  );
  return fc
    .tuple(method, pathOf(endpoint), ending, queryOf(endpoint), keys, bodyOf(endpoint))
    .map(([verb, path, end, query, key, sent]) => ({
      method: verb,
      target: `${path}${end}${query}`,
      headers: [...key, ...sent.headers],
      body: sent.body,
    }));
}
