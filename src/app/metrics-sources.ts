import type { Backing } from '../backing/index.ts';
import type { Connections } from '../http/connection/connections.ts';
import { addSource } from '../observability/metrics/index.ts';
import type { Readings } from '../observability/metrics/index.ts';
import { operationFigures } from '../operations/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import { packageVersion } from '../lib/package-root.ts';
import type { Ask } from './readiness.ts';
import { meilisearchLag } from '../search/index.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import { uploadFigures } from '../uploads/index.ts';
import { webhookFigures } from '../webhooks/index.ts';

export type Measured = Readonly<{
  backing: Backing;
  imageAnalyzer: ImageAnalyzer;
  similar: TenantIndexes;
  role: string;
  /** Probes the services behind this one. */
  askBehind: Ask;
  /** Client connections; null if this process has no API. */
  connections: Connections | null;
}>;

/** Registers sources of metrics that are read on demand. @returns a function that removes them. */
export function measure({ backing, imageAnalyzer, similar, role, askBehind, connections }: Measured): () => void {
  const { database, meilisearch } = backing;
  const remove = [
    addSource(() => ({ info: [{ labels: { version: packageVersion, role }, value: 1 }], ...poolFigures(backing) })),
    addSource(() => (connections === null ? {} : connectionFigures(connections))),
    addSource(() => providerFigures(imageAnalyzer)),
    addSource(() => operationFigures(database)),
    addSource(() => uploadFigures(database)),
    addSource(() => webhookFigures(database)),
    addSource(() => {
      const { tenants, images } = similar.figures();
      return { similarity_tenants: [{ value: tenants }], similarity_images: [{ value: images }] };
    }),
    addSource(async () => {
      if (meilisearch === null) return {};
      const { pending, refused, lagSeconds } = await meilisearchLag(database);
      return {
        meilisearch_lag_seconds: [{ value: lagSeconds }],
        meilisearch_pending: [{ value: pending }],
        meilisearch_refused: [{ value: refused }],
        // Former name.
        engine_lag_seconds: [{ value: lagSeconds }],
        engine_waiting: [{ value: pending }],
        engine_refused: [{ value: refused }],
      };
    }),
    addSource(async () => {
      const value = (fault: Error | null) => (fault === null ? 1 : 0);
      const asked = await askBehind();
      return {
        backing_up: asked.map(({ probe, fault }) => ({ labels: { service: probe.name }, value: value(fault) })),
      };
    }),
  ];
  return () => remove.forEach((each) => each());
}

function poolFigures({ database: { pool, replicas } }: Backing): Readings {
  return {
    pool_connections: [
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
    ],
    pool_waiting: [{ value: pool.waitingCount }],
    replica_ready: (replicas?.states() ?? []).map(({ name: replica, state }) => ({
      labels: { replica },
      value: state === 'ready' ? 1 : 0,
    })),
  };
}

function connectionFigures(connections: Connections): Readings {
  return {
    http_connections: [{ value: connections.size }],
    http_reply_bytes_waiting: [{ value: connections.bytesWaiting() }],
  };
}

function providerFigures(imageAnalyzer: ImageAnalyzer): Readings {
  const costs = Object.entries(imageAnalyzer.costs());
  const of = (label: string, values: (cost: (typeof costs)[number][1]) => Readonly<Record<string, number>>) =>
    costs.flatMap(([model, cost]) =>
      Object.entries(values(cost)).map(([name, value]) => ({ labels: { model, [label]: name }, value })),
    );
  return {
    provider_calls_total: of('outcome', ({ requests, retries, failures, refused }) => ({
      request: requests,
      retry: retries,
      failure: failures,
      refused,
    })),
    provider_seconds_total: costs.map(([model, { milliseconds }]) => ({
      labels: { model },
      value: milliseconds / 1000,
    })),
    provider_bytes_total: of('direction', ({ bytesSent, bytesReceived }) => ({ out: bytesSent, in: bytesReceived })),
    provider_tokens_total: of('direction', ({ tokensIn, tokensOut }) => ({ in: tokensIn, out: tokensOut })),
  };
}
