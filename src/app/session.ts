import { LRUCache } from 'lru-cache';
import { ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import type { Exchange } from '../http/exchange.ts';
import { refuseForeign, sessionTokenOf, setSessionCookie } from '../http/request/session-cookie.ts';
import { sendReply } from '../http/reply/send.ts';
import type { Services } from '../graphql/index.ts';
import { endSession, scopesOf, startSession } from '../tenants/index.ts';
import type { Viewer } from '../tenants/index.ts';
import { uncached } from './readiness.ts';

/** Maximum number of wrong keys from one address within a window; any more are answered with 429. */
const signInLimit = { attempts: 20, seconds: 60 } as const;
/** Maximum number of addresses whose wrong keys are counted. */
const rememberedAddresses = 10_000;

type Handlers = Readonly<Record<string, (exchange: Exchange) => Promise<Reply>>>;

export type SessionDeps = Pick<Services, 'database' | 'access'> &
  Readonly<{ identify(credential: string, exchange: Exchange): Promise<Viewer | null> }>;

/** Signs a browser in by POST with an `API-Key` and out by DELETE; GET returns who is signed in, or 204 if nobody is. */
export function createSessionEndpoint({ database, identify }: SessionDeps) {
  const wrong = new LRUCache<string, number>({ max: rememberedAddresses, ttl: signInLimit.seconds * 1000 });

  const signIn = async (exchange: Exchange): Promise<Reply> => {
    refuseForeign(exchange);
    const address = exchange.address ?? '';
    const key = exchange.header('api-key') ?? '';
    const viewer = key === '' ? null : await identify(key, exchange);
    if (viewer === null) {
      // Only wrong keys are refused: a colleague behind the same address, or the same proxy, still signs in.
      if ((wrong.get(address) ?? 0) >= signInLimit.attempts) throw tooMany(wrong.getRemainingTTL(address));
      // Concurrent attempts count separately; the window starts with the first one.
      const count = (wrong.get(address) ?? 0) + 1;
      wrong.set(address, count, { ttl: wrong.getRemainingTTL(address) || signInLimit.seconds * 1000 });
      throw refusal(key === '' ? 'Not authenticated' : 'Invalid API key');
    }
    const token = await startSession(database, viewer);
    return { status: 201, body: describe(viewer), headers: withCookie(exchange, token) };
  };

  const read = async (exchange: Exchange): Promise<Reply> => {
    const { credential } = exchange;
    const viewer = credential === undefined ? null : await identify(credential, exchange);
    // Not being signed in is not an error: pages start with this request.
    if (viewer === null) return { status: 204, headers: credential ? withCookie(exchange, null) : uncached };
    return { status: 200, body: describe(viewer), headers: uncached };
  };

  const signOut = async (exchange: Exchange): Promise<Reply> => {
    refuseForeign(exchange);
    const token = sessionTokenOf(exchange);
    const { credential } = exchange;
    const viewer = credential === undefined ? null : await identify(credential, exchange);
    if (viewer !== null && token !== undefined) await endSession(database, viewer, token);
    return { status: 204, headers: withCookie(exchange, null) };
  };

  const handlers: Handlers = { GET: read, HEAD: read, POST: signIn, DELETE: signOut };
  return async (exchange: Exchange): Promise<void> => {
    const reply = await handlers[exchange.method]?.(exchange);
    if (reply !== undefined) await sendReply(exchange, reply);
  };
}

function describe(viewer: Viewer): object {
  const { tenantName, role, keyName } = viewer;
  return { tenant: tenantName, role, name: keyName, scopes: scopesOf(viewer) };
}

function withCookie(exchange: Exchange, token: string | null): Record<string, string> {
  return { ...uncached, 'Set-Cookie': setSessionCookie(exchange, token) };
}

function refusal(detail: string): ReplyError {
  return new ReplyError({ status: 401, body: { detail }, headers: uncached });
}

function tooMany(leftMs: number): ReplyError {
  const body = { detail: 'Too many wrong keys from this address', code: 'rate_limited' };
  const headers = { ...uncached, 'Retry-After': String(Math.max(1, Math.ceil(leftMs / 1000))) };
  return new ReplyError({ status: 429, body, headers });
}
