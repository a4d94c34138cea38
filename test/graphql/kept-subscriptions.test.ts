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
