import { consoleHeader, ReplyError } from '../../lib/http-contract.ts';
import { sessionCredential, sessionSeconds } from '../../tenants/index.ts';
import { originOf } from './origin.ts';

/** Name of the cookie that a signed-in browser sends. */
const sessionCookie = 'vitrine_session';

/** The parts of a request that are used here. */
type Head = Readonly<{ method: string; header(name: string): string | undefined }>;

/** The token in the cookie; undefined without one. */
export function sessionTokenOf(request: Pick<Head, 'header'>): string | undefined {
  const pairs = request.header('cookie')?.split(';') ?? [];
  const pair = pairs.map((each) => each.trim()).find((each) => each.startsWith(`${sessionCookie}=`));
  return pair?.slice(sessionCookie.length + 1);
}

/**
 * The credential from the session cookie; undefined without one.
 *
 * @throws ReplyError 403 for requests from pages of other sites.
 */
export function sessionOf(request: Head): string | undefined {
  const token = sessionTokenOf(request);
  const credential = token === undefined ? undefined : sessionCredential(token);
  if (credential !== undefined) refuseForeign(request);
  return credential;
}

/**
 * Refuses requests from other sites: as far as `SameSite` permits, browsers send cookies with those, too.
 *
 * @throws ReplyError 403 for those.
 */
export function refuseForeign(request: Head): void {
  if (isOwn(request)) return;
  throw new ReplyError({
    status: 403,
    body: {
      detail: 'A session is for pages of this service only',
      code: 'forbidden',
      hint: 'Send an API key in the header API-Key',
    },
  });
}

/** Decides by `Sec-Fetch-Site`, else by `Origin`; a client that sends neither is not a page. */
function isOwn(request: Head): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isRead);
  const origin = request.header('origin');
  if (origin !== undefined) return hostOf(origin) !== null && hostOf(origin) === hostOf(originOf(request) ?? '');
  return isRead || request.header(consoleHeader) !== undefined;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

/** The header that sets or clears the cookie. */
export function setSessionCookie(request: Pick<Head, 'header'>, token: string | null): string {
  const isSecure = originOf(request)?.startsWith('https:') === true;
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${token === null ? 0 : sessionSeconds}`];
  return [`${sessionCookie}=${token ?? ''}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}
