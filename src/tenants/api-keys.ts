import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from '../../prisma/generated/client/client.ts';
import type { Database } from '../backing/index.ts';
import { SetupError } from '../errors.ts';
import type { Role } from './roles.ts';

/** How many characters of a key are kept readable, to recognise it in lists. */
const prefixLength = 11;

export type NewApiKey = Readonly<{
  tenantId: number;
  name: string;
  role: Role;
  expiresAt?: Date | null;
  /** The secret, when the operator chose it; else 32 random bytes are drawn. */
  secret?: string;
}>;

/** Creates an API key. The secret is returned once and stored as a SHA-256 only. */
export async function createApiKey(
  { prisma }: Database,
  { tenantId, name, role, expiresAt = null, secret = generateSecret() }: NewApiKey,
): Promise<{ secret: string; key: ApiKey }> {
  const prefix = secret.slice(0, prefixLength);
  const key = await prisma.apiKey.create({
    data: { tenantId, name, role, expiresAt, prefix, hash: hashSecret(secret) },
  });
  return { secret, key };
}

/** Revokes a key by id or prefix; in effect in every process within a second. */
export async function revokeApiKey(database: Database, idOrPrefix: string, tenantId?: number): Promise<ApiKey> {
  const byId = /^\d{1,9}$/.test(idOrPrefix) ? [{ id: Number(idOrPrefix) }] : [];
  const matches = await database.prisma.apiKey.findMany({
    where: { OR: [...byId, { prefix: idOrPrefix }], tenantId, revokedAt: null },
  });
  const [key] = matches;
  if (key === undefined) throw new SetupError(`No valid key has the id or prefix '${idOrPrefix}'.`);
  if (matches.length > 1) throw new SetupError(`Several keys begin with '${idOrPrefix}': revoke by id.`);
  const revoked = await database.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
  await database.pool.query("SELECT pg_notify('vitrine_access', $1)", [
    key.hash ? Buffer.from(key.hash).toString('hex') : '',
  ]);
  return revoked;
}

export function hashSecret(secret: string): Buffer<ArrayBuffer> {
  return Buffer.from(createHash('sha256').update(secret).digest());
}

function generateSecret(): string {
  return `vt_${randomBytes(32).toString('base64url')}`;
}
