import { describe, expect, it, vi } from 'vitest';
import { connectionLimits, createFairConnections } from '../../src/backing/postgres/fair-connections.ts';
import { ActiveTenants, activeMs } from '../../src/lib/active-tenants.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for searches of a tenant that go on until they are ended, and counts those that have begun. */
function bench(activeTenants: ActiveTenants) {
  const { searches } = createFairConnections(20, activeTenants);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    async ask(tenantId: number, count: number) {
      activeTenants.note(tenantId);
      for (let i = 0; i < count; i += 1) {
        const search = searches.run(tenantId, () => {
          begun.push(tenantId);
          return new Promise<void>((resolve) => ends.push(resolve));
        });
        search.catch(() => {}); // Those that still wait when the test has ended are refused after a while.
      }
      await settled();
    },
    async end() {
      ends.shift()?.();
      await settled();
    },
  };
}

describe('searches', () => {
  it('of a tenant alone have every slot', async () => {
    const { ask, begun } = bench(new ActiveTenants());
    await ask(1, 10);
    expect(begun).toEqual([1, 1, 1, 1]);
  });

  it('of a tenant that searches much run one at a time while another one is served', async () => {
    const activeTenants = new ActiveTenants();
    activeTenants.note(2);
    const { ask, end, begun } = bench(activeTenants);
    await ask(1, 10);
    expect(begun).toEqual([1]);
    await ask(2, 1);
    expect(begun).toEqual([1, 2]);
    await end();
    await end();
    expect(begun).toEqual([1, 2, 1]);
  });

  it('of a tenant have every slot again when the others have been quiet for a while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const activeTenants = new ActiveTenants();
      activeTenants.note(2);
      const { ask, end, begun } = bench(activeTenants);
      await ask(1, 10);
      expect(begun).toEqual([1]);
      vi.advanceTimersByTime(activeMs + 1);
      await end();
      expect(begun).toEqual([1, 1, 1, 1, 1]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('transactions', () => {
  it('and statements together never need more connections than there are', () => {
    const { statements, transactions, searches, ...fractions } = connectionLimits;
    expect(statements + transactions).toBeLessThan(1);
    expect(Math.max(searches, fractions.searchesBesideOthers)).toBeLessThanOrEqual(statements);
    expect(fractions.stores).toBeLessThan(transactions);
  });

  it('of a tenant leave slots to others as soon as others are served', async () => {
    const activeTenants = new ActiveTenants();
    const { transactions } = createFairConnections(20, activeTenants);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const ask = (tenantId: number) => {
      activeTenants.note(tenantId);
      const transaction = () => {
        begun.push(tenantId);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      transactions.run(tenantId, transaction).catch(() => {});
    };
    activeTenants.note(2);
    for (let i = 0; i < 10; i += 1) ask(1);
    ask(2);
    await settled();
    expect(begun).toEqual([1, 1, 1, 1, 2]);
    for (const end of ends) end();
  });
});
