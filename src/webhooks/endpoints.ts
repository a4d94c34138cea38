import { randomBytes } from 'node:crypto';
import type { Queryable } from '../backing/index.ts';
import type { AddressGuard } from '../catalog/index.ts';
import { AppError, ElementError } from '../lib/errors.ts';
import { notificationKindNames } from '../notifications/index.ts';
import { readCount, readPage, recordAudit } from '../tenants/index.ts';
import type { Actor, Page, PageAsked, TenantDb } from '../tenants/index.ts';
import { checkEmail } from './email-address.ts';
import {
  countEndpoints,
  deleteEndpoint,
  endpointById,
  insertEndpoint,
  listEndpoints,
  lockEndpoints,
  rotateSecret,
  unknownFormulas,
  updateEndpoint,
} from './endpoint-statements.ts';
import { webhookLimits } from './limits.ts';
import { shownSecret } from './sign.ts';

/** Where a tenant's notifications are sent. */
export type TenantWebhook = Readonly<{
  id: number;
  url: string;
  /** Kinds of notifications; empty for all. */
  kinds: readonly string[];
  /** Names of formulas that watch; empty for all. */
  formulas: readonly string[];
  digestMinutes: number | null;
  isEnabled: boolean;
  consecutiveFailures: number;
  failingSince: Date | null;
  lastDeliveredAt: Date | null;
  switchedOffAt: Date | null;
  formerUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Messages that are waiting, and messages that were given up. */
  pending: number;
  dead: number;
}>;

/** An endpoint with its secret, which is shown once. */
export type IssuedSecret = Readonly<{ secret: string; endpoint: TenantWebhook }>;

/** Requested settings of an endpoint; absent ones stay unchanged, or get the default. */
type EndpointRequest = Readonly<{
  url?: string | null | undefined;
  kinds?: readonly string[] | null | undefined;
  formulas?: readonly string[] | null | undefined;
  /** 0 sends each notification separately. */
  digestMinutes?: number | null | undefined;
  isEnabled?: boolean | null | undefined;
}>;

/** Rules of the service for webhook addresses. */
export type EndpointRules = Readonly<{ guard: AddressGuard; sendsEmail: boolean }>;

/** Default minutes between digests of an email endpoint. */
const emailDigestMinutes = 15;

/** The endpoints of a tenant, oldest first. */
export function listWebhooks(db: TenantDb, page: PageAsked): Promise<Page<TenantWebhook>> {
  return readPage(db, { list: listEndpoints, count: countEndpoints }, [], page);
}

/** An endpoint by its number; null if the tenant has none. */
export async function findWebhook(db: TenantDb, id: number): Promise<TenantWebhook | null> {
  return (await db.query<TenantWebhook>(endpointById, [id])).rows[0] ?? null;
}

/** Adds an endpoint. @throws AppError `invalid_argument`, or `quota_exceeded` if the tenant has too many. */
export function addWebhook(
  db: TenantDb,
  asked: EndpointRequest & Readonly<{ url: string }>,
  rules: EndpointRules,
  by: Actor,
): Promise<IssuedSecret> {
  check(asked, rules);
  const { url, kinds, formulas } = asked;
  const minutes = asked.digestMinutes ?? (isEmail(url) ? emailDigestMinutes : 0);
  const secret = randomBytes(32);
  return db.transaction(async (client) => {
    await db.query(lockEndpoints, [], client);
    if ((await readCount(db, countEndpoints, [], client)) >= webhookLimits.endpoints) {
      const hint = 'Remove one that is no longer used';
      throw new AppError('quota_exceeded', `A tenant has at most ${webhookLimits.endpoints} webhooks`, { hint });
    }
    await checkFormulas(db, formulas, null, client);
    const values = [url, unique(kinds), unique(formulas), minutes === 0 ? null : minutes, secret];
    const { rows } = await db.query<{ id: number }>(insertEndpoint, values, client);
    const [endpoint] = (await db.query<TenantWebhook>(endpointById, [rows[0]?.id], client)).rows;
    if (endpoint === undefined) throw new Error('the new webhook is not there');
    await recordAudit(db, by, { action: 'webhook.added', subject: named(endpoint) }, client);
    return { secret: shownSecret(secret), endpoint };
  });
}

/** Changes an endpoint; null if there is none. @throws AppError `invalid_argument` */
export function updateWebhook(
  db: TenantDb,
  id: number,
  asked: EndpointRequest,
  rules: EndpointRules,
  by: Actor,
): Promise<TenantWebhook | null> {
  check(asked, rules);
  const { url, kinds, formulas, digestMinutes, isEnabled } = asked;
  return db.transaction(async (client) => {
    await checkFormulas(db, formulas, id, client);
    const values = [id, url, kinds && unique(kinds), formulas && unique(formulas), digestMinutes, isEnabled];
    const { rowCount } = await db.query(updateEndpoint, values, client);
    if (rowCount === 0) return null;
    const [endpoint] = (await db.query<TenantWebhook>(endpointById, [id], client)).rows;
    if (endpoint === undefined) throw new Error('the changed webhook is not there');
    await recordAudit(db, by, { action: 'webhook.changed', subject: named(endpoint) }, client);
    return endpoint;
  });
}

/** Removes an endpoint with its messages; null if there is none. */
export async function removeWebhook(db: TenantDb, id: number, by: Actor): Promise<TenantWebhook | null> {
  return db.transaction(async (client) => {
    const [endpoint] = (await db.query<TenantWebhook>(endpointById, [id], client)).rows;
    if (endpoint === undefined) return null;
    await db.query(deleteEndpoint, [id], client);
    await recordAudit(db, by, { action: 'webhook.removed', subject: named(endpoint) }, client);
    return endpoint;
  });
}

/** Gives an endpoint a new secret; the former one keeps signing for some time. Null if there is none. */
export async function rotateWebhook(
  db: TenantDb,
  { id, overlapSeconds }: Readonly<{ id: number; overlapSeconds: number }>,
  by: Actor,
): Promise<IssuedSecret | null> {
  if (overlapSeconds < 0 || overlapSeconds > webhookLimits.overlapSeconds)
    throw invalid(`overlapSeconds must be between 0 and ${webhookLimits.overlapSeconds}`, 'overlapSeconds');
  const secret = randomBytes(32);
  return db.transaction(async (client) => {
    const { rowCount } = await db.query(rotateSecret, [id, secret, overlapSeconds], client);
    const [endpoint] = (await db.query<TenantWebhook>(endpointById, [id], client)).rows;
    if (rowCount === 0 || endpoint === undefined) return null;
    await recordAudit(db, by, { action: 'webhook.rotated', subject: named(endpoint) }, client);
    return { secret: shownSecret(secret), endpoint };
  });
}

/** Whether notifications are sent by email. */
export function isEmail(url: string): boolean {
  return url.startsWith('mailto:');
}

/** An endpoint as the audit trail names it: without the query of its address, which may hold a token. */
export function named({ id, url }: Readonly<{ id: number; url: string }>): string {
  return `webhook ${id} (${url.replace(/[?#].*$/s, '').slice(0, 200)})`;
}

function check({ url, kinds, formulas, digestMinutes }: EndpointRequest, rules: EndpointRules): void {
  if (url !== undefined && url !== null) checkUrl(url, rules);
  for (const kind of kinds ?? []) {
    if (!notificationKindNames.some((known) => known === kind))
      throw invalid(`Unknown kind of notifications. Kinds: ${notificationKindNames.join(', ')}`, 'kinds');
  }
  if ((formulas ?? []).length > webhookLimits.formulas)
    throw invalid(`A webhook can name at most ${webhookLimits.formulas} formulas`, 'formulas');
  if ((formulas ?? []).some((name) => name === '' || name.length > 100))
    throw invalid('formulas must be names of saved formulas', 'formulas');
  const minutes = digestMinutes ?? 0;
  if (minutes < 0 || minutes > webhookLimits.digestMinutes)
    throw invalid(`digestMinutes must be between 0 and ${webhookLimits.digestMinutes}`, 'digestMinutes');
}

/** Refuses names that no formula has. An endpoint may keep the names of formulas that have been deleted since. */
async function checkFormulas(
  db: TenantDb,
  names: EndpointRequest['formulas'],
  id: number | null,
  client: Queryable,
): Promise<void> {
  if (!names?.length) return;
  const [unknown] = (await db.query<{ name: string }>(unknownFormulas, [names, id], client)).rows;
  if (unknown === undefined) return;
  const hint = 'Write the name as it was saved, or save the formula first';
  throw invalid(`No formula is saved as '${unknown.name}'`, 'formulas', hint);
}

function checkUrl(text: string, { guard, sendsEmail }: EndpointRules): void {
  if (text.length > webhookLimits.urlCharacters || !URL.canParse(text))
    throw invalid(`url must be a URL of at most ${webhookLimits.urlCharacters} characters`, 'url');
  const url = new URL(text);
  if (url.protocol === 'mailto:') {
    if (!sendsEmail) throw invalid('This service sends no email', 'url', 'Set SMTP_URL, or use an https URL');
    if (!checkEmail(text)) throw invalid('url must name one address, such as mailto:desk@example.com', 'url');
    return;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid('url must begin with https://, http:// or mailto:', 'url');
  if (url.username !== '' || url.password !== '')
    throw invalid('url must not contain a user name or password', 'url', 'Verify the signature of messages instead');
  try {
    guard.checkHost(url.hostname);
  } catch (error) {
    if (error instanceof ElementError)
      throw invalid('url points to a non-public address', 'url', 'Operators allow networks by SOURCE_ALLOW');
    throw error;
  }
}

function invalid(message: string, argument: string, hint?: string): AppError {
  return new AppError('invalid_argument', message, { argument, ...(hint !== undefined && { hint }) });
}

function unique(names: readonly string[] | null | undefined): readonly string[] {
  return [...new Set(names ?? [])];
}
