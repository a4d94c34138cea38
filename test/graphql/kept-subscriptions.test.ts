import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { createDocumentReader } from '../../src/graphql/server/read-document.ts';
import type { DocumentReader } from '../../src/graphql/server/read-document.ts';

const follow = (id: number) => `subscription { operationProgress(id: "${id}") { sequence } }`;

/** Parses and checks a text as each request does. */
function begin({ parse, check }: DocumentReader, text: string) {
  const document = parse(text);
  return { document, faults: check(document).map(({ message }) => message) };
}

describe('A subscription that many clients send', () => {
  it('is parsed and checked for its first client only', () => {
    const reader = createDocumentReader(schema);
    const first = begin(reader, follow(1));
    expect(first.faults).toEqual([]);
    expect(begin(reader, follow(1)).document).toBe(first.document);
    expect(begin(reader, follow(2)).document).not.toBe(first.document);
  });

  it('is refused with the same faults each time when it is invalid', () => {
    const reader = createDocumentReader(schema);
    const wrong = 'subscription { operationProgress(id: "1") { seqence } }';
    const first = begin(reader, wrong);
    expect(first.faults).toEqual([expect.stringContaining('Cannot query field "seqence"')]);
    const second = begin(reader, wrong);
    expect(second.faults).toEqual(first.faults);
    expect(second.document).not.toBe(first.document);
  });
});

describe('The root field of a subscription', () => {
  const field = 'operationProgress(id: "1") { sequence }';

  it.each([
    ['in its place', `subscription { operationProgress(id: "1") @skip(if: true) { sequence } }`, ['skip']],
    [
      'by a variable',
      `subscription ($v: Boolean!) { operationProgress(id: "1") @include(if: $v) { sequence } }`,
      ['include'],
    ],
    ['around it', `subscription { ... @include(if: false) { ${field} } }`, ['include']],
    ['on a fragment', `subscription { ...F @skip(if: true) } fragment F on Subscription { ${field} }`, ['skip']],
    [
      'in a fragment, twice',
      `subscription { ...F } fragment F on Subscription { operationProgress(id: "1") @skip(if: true) @include(if: true) { sequence } }`,
      ['skip', 'include'],
    ],
  ])('cannot have a condition %s', (_, text, names) => {
    const { faults } = begin(createDocumentReader(schema), text);
    expect(faults).toEqual(names.map((name) => `The root field of a subscription cannot have @${name}`));
  });

  it.each([
    ['on what it returns', `subscription ($v: Boolean!) { operationProgress(id: "1") { sequence @skip(if: $v) } }`],
    ['elsewhere in the document', `subscription S { ${field} } query Q { me { tenant @skip(if: true) } }`],
  ])('is accepted with a condition %s', (_, text) => {
    expect(begin(createDocumentReader(schema), text).faults).toEqual([]);
  });
});
