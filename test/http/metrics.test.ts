import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/tenants/index.ts';
import { metricTable } from '../../src/observability/metrics/index.ts';
import { measure } from '../../src/app/metrics-sources.ts';
import { createAsk, probesBehind } from '../../src/app/readiness.ts';
import { openImageAnalyzer } from '../../src/analysis/index.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createClient, openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let operator: Client;
let stop: () => void;

beforeAll(async () => {
  world = await openWorld({ analyses: true });
  client = await world.client();
  operator = await world.client({ tenant: 'default' });
  const imageAnalyzer = openImageAnalyzer({ ai: readConfig({}).ai, threads: 1, logger: createLogger('fatal') });
  const similar = new TenantIndexes(16 * 1024 * 1024, 1);
  const askBehind = createAsk(probesBehind(world.backing), createLogger('fatal'));
  const stopMeasuring = measure({
    backing: world.backing,
    imageAnalyzer,
    similar,
    role: 'all',
    askBehind,
    connections: null,
  });
  stop = () => {
    stopMeasuring();
    void similar.close();
    void imageAnalyzer.close();
  };
});
afterAll(async () => {
  stop();
  await world.close();
});

async function metrics(): Promise<string> {
  return (await operator.rest('GET', '/metrics')).body as string;
}

/** The value of one line, 0 where there is none. */
function valueOf(text: string, line: string): number {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}

describe('/metrics', () => {
  it('is for an admin key of the first tenant alone, as API-Key or as a bearer token', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${world.url}/metrics`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ 'API-Key': 'wrong' })).status).toBe(401);
    expect((await ask({ 'API-Key': client.key })).status).toBe(403);
    const { id: tenantId } = await world.backing.database.prisma.tenant.findUniqueOrThrow({
      where: { name: 'default' },
    });
    const viewer = await createApiKey(world.backing.database, { tenantId, name: 'viewer', role: 'viewer' });
    const part = await createApiKey(world.backing.database, {
      tenantId,
      name: 'part',
      role: 'admin',
      scopes: ['imgs:read'],
    });
    expect((await createClient(world.url, viewer.secret).rest('GET', '/metrics')).status).toBe(403);
    expect((await createClient(world.url, part.secret).rest('GET', '/metrics')).status).toBe(403);
    expect((await ask({ 'API-Key': operator.key })).status).toBe(200);
    const answer = await ask({ Authorization: `Bearer ${operator.key}` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it('counts requests by template of the path, method and status, never by what callers send', async () => {
    const line = (route: string, status: number) =>
      `vitrine_http_request_seconds_count{method="GET",route="${route}",status="${status}"}`;
    const before = await metrics();
    for (const id of ['a', 'b', 'c']) await client.rest('GET', `/imgs/${id}`);
    await client.rest('GET', '/nowhere/at-all');
    await client.rest('GET', '/health');
    const after = await metrics();
    const more = (name: string) => valueOf(after, name) - valueOf(before, name);
    expect(more(line('/imgs/{image_id}', 404))).toBe(3);
    expect(more(line('unmatched', 404))).toBe(1);
    expect(more(line('/health', 200))).toBe(1);
    expect(after).not.toContain('at-all');
  });

  it('has histograms whose buckets grow to their count', async () => {
    const text = await metrics();
    const name = 'vitrine_http_request_seconds';
    const labels = 'method="GET",route="/metrics",status="200"';
    const buckets = text
      .split('\n')
      .filter((line) => line.startsWith(`${name}_bucket{${labels},le=`))
      .map((line) => Number(line.split(' ').at(-1)));
    expect(buckets).toHaveLength(metricTable.http_request_seconds.bounds.length + 1);
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toBe(valueOf(text, `${name}_count{${labels}}`));
    expect(valueOf(text, `${name}_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('has operations, their stages, elements, analyzers and waiting work', async () => {
    const before = await metrics();
    await client.write('POST', '/imgs', [
      { id: 'm1', src_path: await world.picture('m1.png') },
      { id: 'm2', src_path: 'missing.png' },
    ]);
    const after = await metrics();
    const more = (name: string) => valueOf(after, name) - valueOf(before, name);
    expect(more('vitrine_operations_accepted_total{kind="images.create"}')).toBe(1);
    expect(more('vitrine_operation_seconds_count{outcome="finished"}')).toBe(1);
    expect(more('vitrine_operation_wait_seconds_count')).toBe(1);
    expect(more('vitrine_elements_total{outcome="good"}')).toBe(1);
    expect(more('vitrine_elements_total{outcome="bad"}')).toBe(1);
    for (const stage of ['read', 'store', 'analyze']) {
      expect(more(`vitrine_operation_stage_seconds_count{stage="${stage}"}`), stage).toBe(1);
    }
    expect(more('vitrine_analyzer_seconds_count{kind="colors",analyzer="colours"}')).toBe(1);
    expect(valueOf(after, 'vitrine_backing_up{service="postgres"}')).toBe(1);
    expect(valueOf(after, 'vitrine_backing_up{service="notifications"}')).toBe(1);
    expect(valueOf(after, 'vitrine_workers')).toBe(1);
    expect(after).toMatch(/^vitrine_operations_open\{state="queued"\} 0$/m);
    expect(after).toMatch(/^vitrine_operations_oldest_seconds\{state="queued"\} 0$/m);
    expect(after).toMatch(/^vitrine_cache_lookups_total\{cache="keys",result="hit"\} [1-9]/m);
    expect(after).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(after).toMatch(/^vitrine_info\{version="[^"]+",role="all"\} 1$/m);
  });

  it('declares all of the table and nothing else of the service, also what was never counted', async () => {
    const names = [...(await metrics()).matchAll(/^# TYPE vitrine_(\S+) (\S+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]);
    expect(names).toEqual(Object.entries(metricTable).map(([name, { type }]) => [name, type]));
  });

  it('has everything that the dashboard and the alerts ask for', async () => {
    const files = ['grafana-dashboard.json', 'prometheus-rules.yml'];
    const text = files.map((file) => readFileSync(join(packageRoot, 'deploy', file), 'utf8')).join('\n');
    const asked = new Set(Array.from(text.matchAll(/\b(?:vitrine|nodejs|process)_[a-z0-9_]+(?=[{[) ])/g), String));
    const types = new Map(
      Array.from((await metrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => [name, type]),
    );
    const isThere = (name: string) =>
      types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
    expect(asked.size).toBeGreaterThan(25);
    expect([...asked].filter((name) => !isThere(name))).toEqual([]);
  });
});

describe('/ready', () => {
  it('names each service behind this one', async () => {
    const { status, body } = await client.rest('GET', '/ready');
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ready', postgres: 'ok', notifications: 'ok' },
    });
  });
});
