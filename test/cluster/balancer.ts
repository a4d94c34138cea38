import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer as small as can be: asks `/ready`, sends each request to the next that is, retries nothing. */
export type Balancer = Readonly<{
  url: string;
  /** What could not be passed on, or was not answered. */
  failures: readonly string[];
  add(target: string): void;
  remove(target: string): void;
  /** Addresses that get requests now. */
  ready(): string[];
  close(): Promise<void>;
}>;

const pollMs = 100;

export async function openBalancer(): Promise<Balancer> {
  const targets = new Map<string, boolean>();
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let lease = 0;
  const ready = () => [...targets].filter(([, isReady]) => isReady).map(([target]) => target);

  const server = createServer((incoming, outgoing) => {
    const list = ready();
    const target = list[(lease += 1) % list.length];
    const fail = (reason: string) => {
      failures.push(`${incoming.method} ${incoming.url} to ${target}: ${reason}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    };
    if (target === undefined) return fail('nobody is ready');
    const { method = 'GET', url = '/', headers } = incoming;
    const passed = request(target + url, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', (error) => fail(error.message)).pipe(outgoing);
    });
    passed.on('error', (error) => fail(error.message));
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function look(): Promise<void> {
    for (const target of targets.keys()) {
      const answer = await fetch(`${target}/ready`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      await answer?.text();
      if (targets.has(target)) targets.set(target, answer?.status === 200);
    }
  }
  const timer = setInterval(() => void look(), pollMs);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    add: (target) => void targets.set(target, false),
    remove: (target) => void targets.delete(target),
    ready,
    async close() {
      clearInterval(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
