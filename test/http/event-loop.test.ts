import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BodyBudget } from '../../src/http/request/body-budget.ts';
import { createLargeBodies } from '../../src/http/request/large-bodies.ts';
import { ActiveTenants } from '../../src/lib/active-tenants.ts';
import { UnreadReplies } from '../../src/http/connection/unread-replies.ts';
import { createCors } from '../../src/http/reply/cors.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { limits } from '../../src/http/limits.ts';
import { createServer } from '../../src/http/connection/server.ts';
import { timing, watchLoop, workedOn, workOn } from '../../src/observability/metrics/index.ts';
import { timed } from '../support/effort.ts';
import { listen } from '../support/listen.ts';

const reported: { work: string; ms: number }[] = [];
let stop: () => void;
let server: Server;
let url: string;
const never = new AbortController().signal;
const bodies = new BodyBudget(limits);
const unread = new UnreadReplies(limits);
const activeTenants = new ActiveTenants();
const settings = {
  limits,
  bodies,
  largeBodies: createLargeBodies(activeTenants, limits),
  activeTenants,
  unread,
  cors: createCors([], () => null),
  draining: never,
  stopping: never,
  hurry: never,
};

/** Holds the event loop. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Routes of this test, each of which holds the loop at another step of a request. */
const steps: Readonly<Record<string, (exchange: Exchange) => Promise<void>>> = {
  '/at-once': async (exchange) => {
    block(300);
    await sleep(1);
    exchange.startReply(200, []).end();
  },
  '/with-its-body': async (exchange) => {
    await exchange.readBody();
    block(300);
    await sleep(1);
    exchange.startReply(200, []).end();
  },
  '/before-its-reply': async (exchange) => {
    await sleep(1);
    block(300);
    exchange.startReply(200, []).end();
  },
  '/quick': async (exchange) => void exchange.startReply(200, []).end(),
};

beforeAll(async () => {
  stop = watchLoop((work, ms) => reported.push({ work, ms }));
  server = createServer((incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing, settings);
    exchange.route = exchange.target;
    exchange.budgetOwner = { tenantId: 1, keyId: 1 };
    void steps[exchange.target]?.(exchange);
  });
  url = await listen(server);
});
afterAll(() => {
  stop();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  await sleep(60);
  reported.length = 0;
});

const works = () => reported.map(({ work }) => work);
const countOf = (work: string) =>
  timing('event_loop_block_seconds', { work }).counts.reduce((sum, each) => sum + each, 0);

describe('a block of the event loop', () => {
  it.each(['/at-once', '/with-its-body', '/before-its-reply'])(
    'is counted and logged by the route of its request: %s',
    timed,
    async (path) => {
      const before = countOf(path);
      const quick = setInterval(() => void fetch(`${url}/quick`).catch(() => {}), 5);
      await fetch(url + path, { method: 'POST', body: '{}' });
      await expect.poll(works, { timeout: 10_000 }).toContain(path);
      clearInterval(quick);
      expect(countOf(path)).toBe(before + 1);
      expect(reported.find(({ work }) => work === path)?.ms).toBeGreaterThanOrEqual(250);
    },
  );

  it('is counted by the kind of background work', async () => {
    const work = { route: 'a kind of work' };
    workOn(work);
    block(300);
    await expect.poll(works, { timeout: 10_000 }).toContain('a kind of work');
    await sleep(60);
    block(300);
    workedOn({ route: 'work that says it is done' });
    await expect.poll(works, { timeout: 10_000 }).toContain('work that says it is done');
  });

  it('that nobody owns is counted as other, and many short pieces of work as several', async () => {
    block(300);
    await expect.poll(works, { timeout: 10_000 }).toContain('other');
    for (let i = 0; i < 8; i += 1) {
      workOn({ route: `piece ${i}` });
      block(40);
    }
    await expect.poll(works, { timeout: 10_000 }).toContain('several');
    expect(reported.some(({ work }) => work.startsWith('piece'))).toBe(false);
  });
});
