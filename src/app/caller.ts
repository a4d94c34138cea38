import type { Context } from '../graphql/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { statusOfCode } from '../http/reply/graphql-refusal.ts';
import { AppError } from '../lib/errors.ts';
import type { ExecutionError } from '../lib/http-api.ts';
import type { Reply } from '../lib/http-contract.ts';
import type { Viewer } from '../tenants/index.ts';

/** How an endpoint next to the APIs identifies its caller and reports errors. */
export type CallerDeps = Readonly<{
  identify(credential: string, exchange: Exchange): Promise<Viewer | null>;
  createContext(viewer: Viewer, requestId: string, request: Exchange): Context;
  explain(error: unknown, requestId: string): ExecutionError;
}>;

/** Identifies the caller by a key or a session. @throws AppError `unauthenticated` or `invalid_key` */
export async function identifyCaller(exchange: Exchange, identify: CallerDeps['identify']): Promise<Viewer> {
  const { credential } = exchange;
  const viewer = credential === undefined || credential === '' ? null : await identify(credential, exchange);
  if (viewer !== null) return viewer;
  throw credential
    ? new AppError('invalid_key', 'Invalid API key')
    : new AppError('unauthenticated', 'Not authenticated');
}

/** The reply to a request that failed. */
export function toRefusal({ message, extensions = {} }: ExecutionError): Reply {
  const { code, hint, requiredScope } = extensions;
  const status = code === 'invalid_argument' ? 422 : statusOfCode(String(code));
  const body = { detail: message, code, hint, required_scope: requiredScope };
  return { status, body, ...(status === 401 && { headers: { 'WWW-Authenticate': 'APIKey' } }) };
}
