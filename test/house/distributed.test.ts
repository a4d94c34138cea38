import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/config.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

/** The services of a compose file, each with its lines. */
function servicesOf(file: string): Map<string, string> {
  const body =
    read(file)
      .split('\nservices:\n')[1]
      ?.split(/\n(?=\S)/)[0] ?? '';
  const blocks = body.split(/^ {2}(?=[a-z][a-z0-9-]*:$)/m).slice(1);
  return new Map(blocks.map((block) => [/^[a-z0-9-]+/.exec(block)?.[0] ?? '', block]));
}

const base = servicesOf('compose.yaml');
const added = servicesOf('compose.distributed.yaml');
const ours = ['api', 'api-2', 'worker-1', 'worker-2', 'worker-3'];

describe('the distributed set-up of compose', () => {
  it('has two processes that answer, three that work, and a replica', () => {
    const names = new Set([...base.keys(), ...added.keys()]);
    expect([...names]).toEqual(expect.arrayContaining([...ours, 'postgres', 'postgres-replica', 'balancer']));
    for (const name of ['api-2', 'worker-3']) {
      const model = /file: compose\.yaml\n +service: (\S+)/.exec(added.get(name) ?? '')?.[1] ?? '';
      expect(base.get(model), name).toContain('<<: *vitrine');
    }
  });

  it('sets only variables that the service reads, and names servers that there are', () => {
    const file = read('compose.distributed.yaml');
    const anchor = /&environment\n((?: {2}\S.*\n)+)/.exec(file)?.[1] ?? '';
    const names = all(anchor, /^ {2}([A-Z_]+):/gm);
    expect(names).toContain('DATABASE_READ_URLS');
    expect(names.filter((name) => !Object.hasOwn(variables, name))).toEqual([]);
    const hosts = all(file, /postgres:\/\/[^@\n]+@([a-z-]+)/g);
    expect(hosts).toHaveLength(2);
    for (const host of hosts) expect([...base.keys(), ...added.keys()]).toContain(host);
  });

  it('has three Meilisearch servers that may reach each other, each with a disk, known to every process', () => {
    const file = read('compose.distributed.yaml');
    const servers = all(/MEILI_URL: (\S+)/.exec(file)?.[1] ?? '', /http:\/\/([a-z0-9-]+):7700/g);
    expect(servers).toHaveLength(3);
    for (const name of servers) expect(added.get(name), name).toContain('environment: *reach');
    for (const name of servers.slice(1)) {
      expect(added.get(name), name).toContain('service: meilisearch\n');
      expect(added.get(name), name).toContain(`- ${name}:/meili_data`);
    }
    expect(file).toMatch(/&environment\n {2}<<: \*search\n/);
    for (const name of ours) expect(added.get(name), name).toMatch(/environment: \*(?:environment|search)\n/);
  });

  it('gives the port of the first process to the balancer, which asks the port of each whether it is ready', () => {
    const port = String(variables.PORT.schema.parse(undefined));
    expect(base.get('api')).toContain(`127.0.0.1:${port}:${port}`);
    for (const name of ['api', 'api-2']) expect(added.get(name)).toContain('ports: !reset []');
    expect(added.get('balancer')).toContain(`127.0.0.1:${port}:${port}`);
    const proxy = read('deploy/haproxy.cfg');
    expect(all(proxy, /^ {2}server \S+ (\S+)$/gm)).toEqual([`api:${port}`, `api-2:${port}`]);
    expect(proxy).toContain(`bind :${port}`);
    expect(proxy).toContain('option httpchk GET /ready');
  });

  it('leaves PostgreSQL room for the connections of all processes', () => {
    const most = all(read('compose.distributed.yaml'), /max_connections=(\d+)/g).map(Number);
    expect(most).toHaveLength(2); // A replica must allow as many as its primary.
    const each = variables.DATABASE_CONNECTIONS.schema.parse(undefined) + 7;
    for (const number of most) expect(number).toBeGreaterThan(each * ours.length);
  });

  it('brings every service back, mounts files that there are, and keeps the copy of the database', () => {
    for (const name of ['postgres-replica', 'balancer']) expect(added.get(name)).toContain('restart: unless-stopped');
    const mounted = all(read('compose.distributed.yaml'), /- \.\/(\S+?):/g);
    expect(mounted).toHaveLength(4);
    for (const file of mounted) expect(existsSync(join(packageRoot, file)), file).toBe(true);
    expect(added.get('postgres-replica')).toContain('- postgres-replica:/var/lib/postgresql\n');
    expect(base.get('postgres')).toContain(':/var/lib/postgresql\n');
  });

  it('has every process watched', () => {
    const targets = ['deploy/prometheus.yml', 'deploy/prometheus-distributed.yml'].flatMap((file) =>
      all(read(file), /targets: \[(.*)\]/g).flatMap((list) => list.split(', ')),
    );
    const port = /METRICS_PORT=(\d+)/.exec(read('Dockerfile'))?.[1];
    expect(targets.filter((target) => !target.startsWith('alertmanager')).toSorted()).toEqual(
      ours.map((name) => `${name}:${port}`).toSorted(),
    );
  });
});
