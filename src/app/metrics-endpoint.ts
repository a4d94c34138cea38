import { ReplyError } from '../lib/http-contract.ts';
import type { Exchange } from '../http/exchange.ts';
import { endReply } from '../http/reply/send.ts';
import { writeMetrics } from '../observability/metrics/index.ts';
import { uncached } from './readiness.ts';
import { hasScope } from '../tenants/index.ts';
import type { Authenticator } from '../tenants/index.ts';

/**
 * `/metrics` on the port of the API: for operators of the service, because the numbers cover all tenants. The key is sent as
 * usual, or as the bearer token of Prometheus.
 */
export function createMetricsEndpoint(authenticate: Authenticator['authenticate']) {
  return async (exchange: Exchange): Promise<void> => {
    const bearer = /^bearer +(\S+)$/i.exec(exchange.header('authorization') ?? '')?.[1];
    const key = exchange.header('api-key') || bearer;
    if (key === undefined) throw refusal(401, 'Not authenticated');
    const viewer = await authenticate(key);
    if (viewer === null) throw refusal(401, 'Invalid API key');
    if (!hasScope(viewer, 'service:manage'))
      throw refusal(403, 'Only an admin key of the first tenant may read the metrics');
    const { type, text } = await writeMetrics();
    endReply(exchange, 200, [...exchange.headers(), 'Cache-Control', 'no-store', 'Content-Type', type], text);
  };
}

function refusal(status: 401 | 403, detail: string): ReplyError {
  const headers = status === 401 ? { ...uncached, 'WWW-Authenticate': 'APIKey' } : uncached;
  return new ReplyError({ status, body: status === 403 ? { detail, code: 'forbidden' } : { detail }, headers });
}
