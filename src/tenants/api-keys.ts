import { hash, randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { ApiKey } from '../../prisma/generated/client/client.ts';
import type { Database } from '../backing/index.ts';
import { AppError, SetupError } from '../lib/errors.ts';
import { actorValues, operator } from './audit.ts';
import type { Actor } from './audit.ts';
import { forTenant } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';
import { insertKey, keyById, lockKey, retireKey, revokeKey } from './key-statements.ts';
import { assertMayGrant, checkExpiry, checkKeyName, settleRights } from './rights.ts';
import type { RightsRequest } from './rights.ts';
import type { Rights, Viewer } from './viewer.ts';

/** What a generated key looks like; 8 of its 43 random characters are shown, which leaves 208 secret bits. */
const generated = /^vt_[\w-]{43}$/;
const prefixLength = 11;
/** How long an old key may stay valid alongside its successor. */
const maxOverlapSeconds = 30 * 86_400;

type NewApiKey = RightsRequest &
  Readonly<{
    tenantId: number;
    name: string;
    expiresAt?: Date | null;
    /** The secret if the operator chose it; otherwise 32 random bytes are generated. */
    secret?: string;
    /** Whether the secret is the value of ADMIN_API_KEY. */
    isEnvironment?: boolean;
    /** Who creates the key; the operator if absent. */
    by?: Actor;
  }>;

/** A key with its secret, which is stored nowhere else. */
export type IssuedKey = Readonly<{ secret: string; key: ApiKey }>;

/** Creates an API key. The secret is returned once and stored only as its SHA-256. */
export async function createApiKey(
  database: Database,
  {
    tenantId,
    name,
    role,
    scopes,
    expiresAt = null,
    secret = generateSecret(),
    isEnvironment = false,
    by = operator,
  }: NewApiKey,
): Promise<IssuedKey> {
  checkKeyName(name);
  const db = forTenant(database, tenantId);
  return issue(db, { name, ...settleRights({ role, scopes }), expiresAt, secret, isEnvironment, by });
}

/** Options of a granted key. */
type KeyGrant = RightsRequest & Readonly<{ name: string; expiresAt?: Date | null | undefined }>;

/**
 * Creates a key for the tenant of `viewer`. It can neither have rights that the viewer's key lacks nor expire later:
 * without a date, it expires together with that key.
 */
export async function grantApiKey(db: TenantDb, viewer: Viewer, grant: KeyGrant, by: Actor): Promise<IssuedKey> {
  checkKeyName(grant.name);
  const rights = settleRights(grant);
  const expiresAt = grant.expiresAt ?? viewer.expiresAt;
  checkExpiry(expiresAt);
  assertMayGrant(viewer, rights, expiresAt);
  return issue(db, { name: grant.name, ...rights, expiresAt, secret: generateSecret(), isEnvironment: false, by });
}

/** Revokes a key of a tenant; every process refuses it within a second. Returns null if there is no such key. */
export async function revokeTenantKey(db: TenantDb, id: number, by: Actor): Promise<ApiKey | null> {
  await db.query(revokeKey, [id, ...actorValues(by)]);
  return findKey(db, id);
}

/** Revokes a key by id or prefix, which is how people refer to keys. */
export async function revokeApiKey(database: Database, idOrPrefix: string): Promise<ApiKey> {
  const key = await findValidKey(database, idOrPrefix);
  return (await revokeTenantKey(forTenant(database, key.tenantId), key.id, operator)) ?? key;
}

/** The only unrevoked key with this id or prefix. @throws SetupError if there is none or several. */
export async function findValidKey({ prisma }: Database, idOrPrefix: string, tenantId?: number): Promise<ApiKey> {
  const byId = /^\d{1,9}$/.test(idOrPrefix) ? [{ id: Number(idOrPrefix) }] : [];
  const matches = await prisma.apiKey.findMany({
    where: { OR: [...byId, { prefix: idOrPrefix }], ...(tenantId !== undefined && { tenantId }), revokedAt: null },
  });
  const [key] = matches;
  if (key === undefined) throw new SetupError(`No valid key has the id or prefix '${idOrPrefix}'.`);
  if (matches.length > 1) throw new SetupError(`Several keys begin with '${idOrPrefix}': use the id.`);
  return key;
}

type KeyRotation = Readonly<{
  id: number;
  /** How long the old key stays valid alongside the new one. */
  overlapSeconds: number;
  by: Actor;
  /** The viewer whose rights limit those of the new key; absent for the operator. */
  viewer?: Viewer;
}>;

/**
 * Replaces a key by a successor with the same name, rights and expiry. Returns null if the tenant has no such key.
 *
 * @throws AppError `invalid_argument` for a key that is no longer valid, `forbidden` for one that has more rights
 * than the viewer.
 */
export async function rotateApiKey(
  db: TenantDb,
  { id, overlapSeconds, by, viewer }: KeyRotation,
): Promise<IssuedKey | null> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > maxOverlapSeconds) {
    const message = `overlapSeconds must be between 0 and ${maxOverlapSeconds}`;
    throw new AppError('invalid_argument', message, { argument: 'overlapSeconds' });
  }
  const secret = generateSecret();
  return db.transaction(async (client) => {
    type Old = Rights & Readonly<{ name: string; expiresAt: Date | null; isValid: boolean; isEnvironment: boolean }>;
    const { rows } = await db.query<Old>(lockKey, [id], client);
    const [old] = rows;
    if (old === undefined) return null;
    if (!old.isValid) throw new AppError('invalid_argument', `Key ${id} is no longer valid`, { argument: 'id' });
    if (viewer !== undefined) assertMayGrant(viewer, old, old.expiresAt);
    if (old.isEnvironment) throw new AppError('invalid_argument', environmentRotation(id), { argument: 'id' });
    if (overlapSeconds === 0) await db.query(revokeKey, [id, ...actorValues(by)], client);
    else await db.query(retireKey, [id, overlapSeconds, ...actorValues(by)], client);
    return issue(db, { ...old, secret, isEnvironment: false, by }, client);
  });
}

/** The next start would replace a successor, because it makes the value of the variable the key again. */
function environmentRotation(id: number): string {
  return `Key ${id} is the value of ADMIN_API_KEY: change that variable and restart every process to replace the key`;
}

type KeyRow = Rights &
  Readonly<{ name: string; expiresAt: Date | null; secret: string; isEnvironment: boolean; by: Actor }>;

async function issue(
  db: TenantDb,
  { name, role, scopes, expiresAt, secret, isEnvironment, by }: KeyRow,
  client?: PoolClient,
): Promise<IssuedKey> {
  const values = [
    ...[name, shownPrefix(secret), hashSecret(secret), role, scopes, expiresAt, isEnvironment],
    ...actorValues(by),
  ];
  const { rows } = await db.query<{ id: number }>(insertKey, values, client);
  if (rows[0] === undefined) throw new Error('the database returned no key id');
  const key = await findKey(db, rows[0].id, client);
  if (key === null) throw new Error('the new key is not there');
  return { secret, key };
}

async function findKey(db: TenantDb, id: number, client?: PoolClient): Promise<ApiKey | null> {
  return (await db.query<ApiKey>(keyById, [id], client)).rows[0] ?? null;
}

/**
 * How lists, logs and the audit trail show a key. If the operator chose the secret, it may be short, so none of it is
 * shown.
 */
function shownPrefix(secret: string): string {
  if (generated.test(secret)) return secret.slice(0, prefixLength);
  return `env_${randomBytes(4).toString('hex').slice(1)}`;
}

export function hashSecret(secret: string): Buffer<ArrayBuffer> {
  return Buffer.from(hash('sha256', secret, 'buffer'));
}

/** Generates the secret of a key: `vt_` and 256 random bits. */
export function generateSecret(): string {
  return `vt_${randomBytes(32).toString('base64url')}`;
}
