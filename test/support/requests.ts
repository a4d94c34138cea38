import fc from 'fast-check';
import type { Endpoint } from '../../rest/endpoints/endpoint.ts';
import type { BodyField, ValueType } from '../../rest/endpoints/types.ts';
import { character } from './character.ts';

/** What to send for one parameter or body, and whether the contract takes it. */
type Sent = Readonly<{ value: unknown; valid: boolean }>;

export type RandomRequest = Readonly<{
  method: string;
  target: string;
  body: BodyInit | undefined;
  headers: Readonly<Record<string, string>>;
  /** Where the values stand that the contract refuses, such as `query.limit`; empty for a valid request. */
  faults: readonly string[];
}>;

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: character }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    "'",
    '"; --',
    '\ud83d\ude00',
    'a'.repeat(300),
    'true',
    '0',
    '2024-02-30',
    '2024-05',
    'http://',
  ),
);

/** A value as JSON, right or wrong for its type; what is neither for sure is left out. */
function jsonValue(type: ValueType, nullable: boolean): fc.Arbitrary<Sent> {
  const right = rightValue(type).map((value) => ({ value, valid: true }));
  const wrong = wrongValue(type).map((value) => ({ value, valid: false }));
  const nothing = fc.constant({ value: null, valid: nullable });
  return fc.oneof({ weight: 16, arbitrary: right }, { weight: 1, arbitrary: wrong }, { weight: 1, arbitrary: nothing });
}

function rightValue(type: ValueType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'boolean':
      return fc.oneof(fc.boolean(), fc.constantFrom('yes', 'F', 1, 0));
    case 'integer':
      return fc.integer({ min: type.ge ?? -5, max: Math.min(type.le ?? 1000, 1000) });
    case 'datetime':
      return fc.constantFrom('2024-01-02', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.678+02:00');
    case 'enum':
      return fc.constantFrom(...type.values);
    case 'list':
      return fc.array(rightValue(type.of), { minLength: type.min ?? 0, maxLength: 4 });
    case 'object':
      return rightObject(type.fields);
    default:
      return texts;
  }
}

function rightObject(fields: readonly BodyField[]): fc.Arbitrary<unknown> {
  const arbitraries = fields.map(({ name, type, nullable }): [string, fc.Arbitrary<unknown>] => [
    name,
    nullable ? fc.option(rightValue(type)) : rightValue(type),
  ]);
  const requiredKeys = fields.filter((field) => field.required).map(({ name }) => name);
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys });
}

function wrongValue(type: ValueType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'boolean':
      return fc.constantFrom('', 'maybe', 2, -1, 1.5, [], {});
    case 'list':
      return fc.oneof(
        fc.constantFrom('text', 5, {}, true),
        wrongValue(type.of).map((value) => [value]),
      );
    case 'object':
      return fc.oneof(fc.constantFrom('text', 5, [], true), wrongObject(type.fields));
    default:
      return fc.constantFrom(5, true, 1.5, [], {});
  }
}

/** An object that lacks what it needs, or one of whose fields is wrong. */
function wrongObject(fields: readonly BodyField[]): fc.Arbitrary<unknown> {
  const [first] = fields;
  return fc
    .constantFrom(...fields)
    .chain(({ name, type }) =>
      wrongValue(type).map((value) => ({ ...(first?.required && { [first.name]: 'a' }), [name]: value })),
    );
}

/** A value as a text of path or query. */
function textValue(type: ValueType): fc.Arbitrary<Sent> {
  const right = (value: unknown) => ({ value: String(value), valid: true });
  const wrong = (value: unknown) => ({ value, valid: false });
  const mostly = (good: fc.Arbitrary<unknown>, bad: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 9, arbitrary: good.map(right) }, { weight: 1, arbitrary: bad.map(wrong) });
  switch (type.kind) {
    case 'string':
      return texts.map(right);
    case 'boolean':
      return mostly(
        fc.constantFrom('true', 'false', '1', '0', 'Yes', 'off'),
        fc.constantFrom('', '2', 'null', ' true'),
      );
    case 'integer': {
      const beyond = [
        ...(type.ge === undefined ? [] : [type.ge - 1, -(2 ** 53)]),
        ...(type.le === undefined ? [] : [type.le + 1]),
      ];
      const huge = type.le === undefined ? ['9007199254740993', '9'.repeat(400)] : [];
      const good = fc.oneof(rightValue(type), fc.constantFrom(...huge, ' 7', '+3', '1_0', '04.0'));
      return mostly(good, fc.constantFrom(...beyond.map(String), '', '1.5', 'x', '1e3', 'Infinity', '9'.repeat(4301)));
    }
    case 'enum':
      return mostly(fc.constantFrom(...type.values), fc.constantFrom('?', 'ASC', `${type.values.at(-1)} `));
    default:
      return mostly(rightValue(type), fc.constantFrom('', 'yesterday', '2024-13-01', '12'));
  }
}

type Pair = Readonly<{ name: string; sent: Sent }>;

/** Random requests to an endpoint, made from its row of the table. */
export function requestsTo(endpoint: Endpoint): fc.Arbitrary<RandomRequest> {
  const query = endpoint.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, type, required }): fc.Arbitrary<Pair[]> => {
      const values =
        type.kind === 'list'
          ? fc.array(textValue(type.of), { maxLength: 3 })
          : fc.array(textValue(type), { minLength: 1, maxLength: 1 });
      const pairs = values.map((list) => list.map((sent) => ({ name, sent })));
      if (required === true) return pairs;
      // Writes that wait are slow, and every write of the run stands before them.
      return fc.oneof(
        { weight: name === 'wait' ? 12 : 2, arbitrary: fc.constant<Pair[]>([]) },
        { weight: 1, arbitrary: pairs },
      );
    });
  const path = endpoint.parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, type }) => idValue(type).map((sent) => ({ name, sent })));
  return fc
    .tuple(...query)
    .map((lists) => lists.flat())
    .chain((pairs) =>
      fc.tuple(fc.tuple(...path), bodyOf(endpoint, pairs)).map(([ids, body]) => toRequest(endpoint, ids, pairs, body)),
    );
}

/** An id in a path: never empty, and no part of the path itself. */
function idValue(type: ValueType): fc.Arbitrary<Sent> {
  return textValue(type).map(({ value, valid }) =>
    /^\.{0,2}$/.test(String(value)) || /\//.test(String(value)) ? { value: '1', valid: true } : { value, valid },
  );
}

type SentBody = Readonly<{ body: BodyInit | undefined; headers: Record<string, string>; valid: boolean }>;

/** A body for a query: with a formula a write takes another one, or none. */
function bodyOf({ body }: Endpoint, pairs: readonly Pair[]): fc.Arbitrary<SentBody> {
  if (body === undefined) return fc.constant({ body: undefined, headers: {}, valid: true });
  if (body.kind === 'form') return formOf(body.fields);
  const headers = { 'Content-Type': 'application/json' };
  const withFormula = pairs.some(({ name }) => name === 'q') ? body.withFormula : undefined;
  if (withFormula?.fields.length === 0) return fc.constant({ body: undefined, headers: {}, valid: true });
  const json = jsonValue(withFormula ?? body.type, false).map(({ value, valid }) => ({
    body: JSON.stringify(value),
    headers,
    valid,
  }));
  const broken = fc
    .constantFrom<BodyInit>(
      '',
      '{',
      '[{"id":}]',
      '[1e999]',
      '['.repeat(2000),
      new Uint8Array([0x5b, 0xff, 0x5d]),
      '"text"',
    )
    .map((text) => ({ body: text, headers, valid: false }));
  const otherType = fc.constant({ body: 'id=1', headers: { 'Content-Type': 'text/plain' }, valid: false });
  return fc.oneof(
    { weight: 20, arbitrary: json },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: otherType },
  );
}

function formOf(fields: readonly BodyField[]): fc.Arbitrary<SentBody> {
  const parts = fields.map(({ name, type, required }) => {
    const value: fc.Arbitrary<Sent> =
      type.kind === 'file'
        ? fc
            .uint8Array({ minLength: 1, maxLength: 40 })
            .map((bytes) => ({ value: new Blob([bytes as BlobPart]), valid: true }))
        : textValue(type).map((sent) => (sent.value === '' ? { value: '', valid: true } : sent));
    const absent = fc.constant({ name, sent: { value: undefined, valid: required === undefined } });
    return fc.oneof(
      absent,
      value.map((sent) => ({ name, sent })),
    );
  });
  return fc.tuple(...parts).map((list) => {
    const form = new FormData();
    for (const { name, sent } of list) if (sent.value !== undefined) form.set(name, sent.value as string | Blob);
    return { body: form, headers: {}, valid: list.every(({ sent }) => sent.valid) };
  });
}

function toRequest(endpoint: Endpoint, ids: readonly Pair[], pairs: readonly Pair[], sent: SentBody): RandomRequest {
  let path = endpoint.path;
  for (const { name, sent: id } of ids) path = path.replace(`{${name}}`, encodeURIComponent(wellFormed(id.value)));
  const query = pairs.map((pair) => `${pair.name}=${encodeURIComponent(wellFormed(pair.sent.value))}`).join('&');
  const faults = [
    ...ids.filter((pair) => !pair.sent.valid).map(({ name }) => `path.${name}`),
    ...pairs.filter((pair) => !pair.sent.valid).map(({ name }) => `query.${name}`),
    ...(sent.valid ? [] : ['body']),
  ];
  const target = query === '' ? path : `${path}?${query}`;
  return { method: endpoint.method, target, body: sent.body, headers: sent.headers, faults };
}

/** A lone surrogate cannot be escaped. */
function wellFormed(value: unknown): string {
  return String(value).toWellFormed();
}
