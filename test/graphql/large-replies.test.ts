import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/graphql/context.ts';
import { LargeReplies } from '../../src/graphql/large-replies.ts';
import { Company } from '../../src/metrics/index.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A request of a tenant, as far as it is looked at. */
function requestOf(tenantId: number): Context {
  const request = { signal: new AbortController().signal, whenSent: () => {} };
  return { viewer: { tenantId }, request } as unknown as Context;
}

/** Begins replies, and writes down whose were begun; each is made when it is told so. */
function bench(replies: LargeReplies) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    async ask(tenantId: number) {
      void Promise.resolve(replies.begin(requestOf(tenantId))).then((made) => {
        begun.push(tenantId);
        ends.push(made);
      });
      await settled();
    },
    async end() {
      ends.shift()?.();
      await settled();
    },
  };
}

describe('large replies', () => {
  it('of a tenant alone are made as they come', async () => {
    const company = new Company();
    company.note(1);
    const { ask, begun } = bench(new LargeReplies(company));
    for (let i = 0; i < 5; i += 1) await ask(1);
    expect(begun).toEqual([1, 1, 1, 1, 1]);
  });

  it('of a tenant beside others are made one after the other, and those of others with them', async () => {
    const company = new Company();
    for (const tenant of [1, 2]) company.note(tenant);
    const { ask, end, begun } = bench(new LargeReplies(company));
    for (let i = 0; i < 5; i += 1) await ask(1);
    expect(begun).toEqual([1]);
    await ask(2);
    expect(begun).toEqual([1, 2]);
    await end();
    expect(begun).toEqual([1, 2, 1]);
  });
});
