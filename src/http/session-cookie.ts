import { ReplyError } from '../lib/http-contract.ts';
import { sessionCredential, sessionSeconds } from '../tenants/index.ts';
import { originOf } from './origin.ts';

/** Name of the cookie that a signed-in browser sends. */
export const sessionCookie = 'vitrine_session';

/** A header that our pages send; a page of another origin cannot send it without asking, which is never granted. */
export const consoleHeader = 'x-vitrine-console';

/** What is looked at of a request. */
type Head = Readonly<{ method: string; header(name: string): string | undefined }>;

/** The token in the cookie; undefined without one. */
export function sessionTokenOf(request: Pick<Head, 'header'>): string | undefined {
  const pairs = request.header('cookie')?.split(';') ?? [];
  const pair = pairs.map((each) => each.trim()).find((each) => each.startsWith(`${sessionCookie}=`));
  return pair?.slice(sessionCookie.length + 1);
}

/** What says who asks by cookie; undefined without one. @throws ReplyError 403 where a foreign page asks */
export function sessionOf(request: Head): string | undefined {
  const token = sessionTokenOf(request);
  const credential = token === undefined ? undefined : sessionCredential(token);
  if (credential !== undefined) refuseForeign(request);
  return credential;
}

/**
 * Browsers send cookies with requests of foreign pages too, as far as `SameSite` lets them. @throws ReplyError 403 for
 * those
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

/** By what the browser says of the page, or else by its origin; who says neither is no page, and reads or says who it is. */
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

/** The header that hands a browser its token, or takes it back. */
export function setSessionCookie(request: Pick<Head, 'header'>, token: string | null): string {
  const isSecure = originOf(request)?.startsWith('https:') === true;
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${token === null ? 0 : sessionSeconds}`];
  return [`${sessionCookie}=${token ?? ''}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}
