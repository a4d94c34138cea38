import fc from 'fast-check';
import type { BodyField, ValueType } from '../../../rest/endpoints/types.ts';
import { bytes, names, numbers, signs, strings, types, wholeTexts } from './json-pieces.ts';
import { oddText } from './texts.ts';

/**
 * JSON texts: right ones, ones of wrong types, and ones that are no JSON. They are made as text, since what matters is
 * how things are written: 1.0 and 1, a name that comes twice, an integer of thousand digits.
 */

const scalars = fc.oneof(numbers, strings, fc.constantFrom('true', 'false', 'null'));

/** Any JSON at all. */
const anything: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'json' },
    scalars,
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'json' }).map((parts) => `[${parts.join(',')}]`),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 3, depthIdentifier: 'json' })
      .map((parts) => `{${parts.map((each) => each.join(':')).join(',')}}`),
  ),
})).value;

/** Blanks that JSON has, which stand between any two signs. */
const gap = fc.oneof(
  { weight: 20, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' ', '\n', '\t', '\r\n  ') },
);

function ofType(type: ValueType): fc.Arbitrary<string> {
  switch (type.kind) {
    case 'boolean':
      return fc.oneof(
        fc.constantFrom('true', 'false', '1', '0'),
        oddText(type).map((text) => JSON.stringify(text)),
        numbers,
      );
    case 'list':
      return fc
        .tuple(fc.array(mostly(type.of), { minLength: 1, maxLength: 4 }), gap)
        .map(([parts, blank]) => `[${blank}${parts.join(`${blank},`)}${blank}]`);
    case 'object':
      return objectText(type.fields);
    default:
      return strings;
  }
}

/** A value of its type, and now and then anything else. */
function mostly(type: ValueType): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: ofType(type) }, { weight: 1, arbitrary: anything });
}

function objectText(fields: readonly BodyField[]): fc.Arbitrary<string> {
  const pairOf = ({ name, type }: BodyField) =>
    fc.tuple(mostly(type), gap).map(([text, blank]) => `"${name}"${blank}:${blank}${text}`);
  const some = fc
    .subarray([...fields], { maxLength: Math.min(4, fields.length) })
    .chain((chosen) => fc.tuple(...chosen.map(pairOf)));
  const required = fields.filter((field) => field.required);
  const id = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(...required.map(pairOf)) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
  const unknown = fc.oneof(
    { weight: 5, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.tuple(names, anything).map((each) => [each.join(':')]) },
  );
  return fc
    .tuple(id, some, unknown)
    .chain(([own, more, odd]) =>
      fc.shuffledSubarray([...own, ...more, ...odd], { minLength: own.length + more.length }),
    )
    .map((pairs) => `{${pairs.join(',')}}`);
}

/** One to three places where a text is not what it was. */
function broken(text: string): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(10_000), fc.nat(3), fc.constantFrom(...signs));
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) => {
    let letters = [...text];
    for (const [place, kind, sign] of changes) {
      const at = place % (letters.length + 1);
      if (kind === 0) letters.splice(at, 1);
      else if (kind === 1) letters.splice(at, 0, sign);
      else if (kind === 2) letters.splice(at, 1, sign);
      else letters = letters.slice(0, at);
    }
    return letters.join('');
  });
}

/** Bodies for a type, and what they say that they are. */
export function oddJson(type: ValueType): fc.Arbitrary<{ body: Buffer; headers: [string, string][] }> {
  const right = mostly(type);
  const texts = fc.oneof(
    { weight: 10, arbitrary: right },
    { weight: 4, arbitrary: right.chain(broken) },
    { weight: 2, arbitrary: wholeTexts },
    { weight: 1, arbitrary: anything },
    { weight: 1, arbitrary: anything.chain(broken) },
  );
  const all = fc.oneof(
    { weight: 60, arbitrary: texts.map((text) => Buffer.from(text.toWellFormed())) },
    { weight: 1, arbitrary: bytes },
  );
  return fc.tuple(all, types).map(([body, kind]) => ({ body, headers: kind === null ? [] : [['Content-Type', kind]] }));
}
