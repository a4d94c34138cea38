import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../../src/graphql/schema/context.ts';
import { LargeReplies } from '../../src/graphql/server/large-replies.ts';
import { ActiveTenants } from '../../src/lib/active-tenants.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The parts of a tenant's request that are used here. */
function requestOf(tenantId: number, whenSent: (act: () => void) => void): Context {
  const request = { signal: new AbortController().signal, whenSent };
  return { viewer: { tenantId }, request } as unknown as Context;
}

/** Starts replies and records whose were started; each is made and sent on demand. */
function bench(replies: LargeReplies) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const sent: (() => void)[] = [];
  return {
    begun,
    async ask(tenantId: number) {
      const request = requestOf(tenantId, (act) => sent.push(act));
      await replies.admit(request, 1);
      const reply = replies.begin(request).then((made) => {
        begun.push(tenantId);
        ends.push(made);
      });
      reply.catch(() => {}); // Those that still wait when the test has ended are refused after a while.
      await settled();
    },
    async make() {
      ends.shift()?.();
      await settled();
    },
    async leave() {
      sent.shift()?.();
      await settled();
    },
  };
}

describe('large replies', () => {
  it('of a tenant alone are made as they come', async () => {
    const activeTenants = new ActiveTenants();
    activeTenants.note(1);
    const { ask, begun } = bench(new LargeReplies(activeTenants));
    for (let i = 0; i < 5; i += 1) await ask(1);
    expect(begun).toEqual([1, 1, 1, 1, 1]);
  });

  it('of a tenant beside others are made one after the other, and those of others with them', async () => {
    const activeTenants = new ActiveTenants();
    for (const tenant of [1, 2]) activeTenants.note(tenant);
    const { ask, make, leave, begun } = bench(new LargeReplies(activeTenants));
    for (let i = 0; i < 5; i += 1) await ask(1);
    expect(begun).toEqual([1]);
    await ask(2);
    expect(begun).toEqual([1, 2]);
    await make();
    expect(begun).toEqual([1, 2]);
    await leave();
    expect(begun).toEqual([1, 2, 1]);
  });

  it('of a tenant beside others do not wait for a reader that takes its time', async () => {
    const activeTenants = new ActiveTenants();
    for (const tenant of [1, 2]) activeTenants.note(tenant);
    const { ask, make, begun } = bench(new LargeReplies(activeTenants));
    for (let i = 0; i < 2; i += 1) await ask(1);
    await make();
    expect(begun).toEqual([1]);
    await vi.waitFor(() => expect(begun).toEqual([1, 1]));
  });
});
