import { join } from 'node:path';
import type { Tenant } from '../../prisma/generated/client/client.ts';
import { inTransaction, lockKeys } from '../backing/index.ts';
import type { Database } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { writeSecretFile } from '../lib/secret-file.ts';
import { createApiKey, generateSecret, hashSecret } from './api-keys.ts';
import { actorValues, operator } from './audit.ts';
import { forTenant } from './for-tenant.ts';
import type { TenantDb } from './for-tenant.ts';
import { keepEnvironmentKey, revokeKey } from './key-statements.ts';
import { firstTenant } from './viewer.ts';

const environmentKeyName = 'ADMIN_API_KEY';
export async function createTenant({ prisma }: Database, name: string): Promise<Tenant> {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw new SetupError(`Invalid tenant name '${name}': use 1 to 63 of a-z, 0-9 and '-', not '-' at the beginning.`);
  }
  const existing = await prisma.tenant.findUnique({ where: { name } });
  if (existing !== null) throw new SetupError(`The tenant '${name}' already exists.`);
  return prisma.tenant.create({ data: { name, audit: { create: { action: 'tenant.created' } } } });
}

export async function getTenant({ prisma }: Database, name: string): Promise<Tenant> {
  const tenant = await prisma.tenant.findUnique({ where: { name } });
  if (tenant === null) throw new SetupError(`No tenant '${name}'. See: vitrine tenant list`);
  return tenant;
}

/** The admin key that the first start generated: shown once, from then on only found in its file. */
export type FirstKey = Readonly<{ secret: string; path: string }>;

/**
 * Creates the first tenant and its admin key if they are missing. The key is `ADMIN_API_KEY` if that is set;
 * otherwise a random one is written to DATA_DIR, readable only by its owner. Processes that start at the same time
 * take turns, so that only one creates the key. A start of the service also replaces the key of an earlier value of
 * `ADMIN_API_KEY`; a command does not.
 *
 * @returns the generated key if this call created it.
 */
export function ensureFirstTenant(
  database: Database,
  config: Config,
  { isService }: Readonly<{ isService: boolean }>,
): Promise<FirstKey | null> {
  return inTransaction(database.pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockKeys.environmentKey]);
    return makeFirstTenant(database, config, isService);
  });
}

async function makeFirstTenant(database: Database, config: Config, isService: boolean): Promise<FirstKey | null> {
  const { prisma } = database;
  const tenant = await prisma.tenant.upsert({
    where: { name: firstTenant },
    create: { name: firstTenant, searchVerify: true },
    update: {},
  });
  if (config.adminApiKey !== undefined) {
    // A command's environment must not revoke the key of a running service.
    const isMade =
      !isService && (await prisma.apiKey.count({ where: { tenantId: tenant.id, isEnvironment: true } })) > 0;
    if (!isMade) await ensureEnvironmentKey(database, tenant.id, config.adminApiKey);
    return null;
  }
  const full = { tenantId: tenant.id, role: 'admin', scopes: { isEmpty: true }, revokedAt: null } as const;
  if ((await prisma.apiKey.count({ where: full })) > 0) return null;
  const secret = generateSecret();
  const path = writeAdminKey(config.dataDir, secret); // Written first, because a key that nobody can read is useless.
  await createApiKey(database, { tenantId: tenant.id, name: 'first admin', role: 'admin', secret });
  return { secret, path };
}

/** @throws SetupError if the file cannot be written. */
function writeAdminKey(dataDir: string, secret: string): string {
  const path = join(dataDir, 'admin-key');
  try {
    makeFolder(dataDir);
    writeSecretFile(path, `${secret}\n`);
    return path;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SetupError(
      `The first API key cannot be written to ${path}: ${reason}\n` +
        'Set DATA_DIR to a writable folder, or set ADMIN_API_KEY.',
    );
  }
}

/**
 * The variable decides: a new value replaces the key of the previous value, and going back to an earlier value makes
 * its key valid again. A key revoked by a person stays revoked.
 *
 * @throws SetupError if the value is the secret of a key that is not an unlimited admin key of the first tenant.
 */
async function ensureEnvironmentKey(database: Database, tenantId: number, secret: string): Promise<void> {
  const { prisma } = database;
  const hash = hashSecret(secret);
  const existing = await prisma.apiKey.findUnique({ where: { hash }, include: { tenant: true } });
  const isOurs = existing?.tenantId === tenantId && existing.role === 'admin' && existing.scopes.length === 0;
  if (existing !== null && !existing.isEnvironment && (!isOurs || existing.revokedAt !== null || existing.expiresAt)) {
    const { id, tenant, revokedAt } = existing;
    throw new SetupError(
      `ADMIN_API_KEY is the secret of key ${id} of the tenant '${tenant.name}', which ` +
        `${revokedAt === null ? 'is not an admin key of the first tenant without an expiry' : 'was revoked'}.\n` +
        'Set ADMIN_API_KEY to another value, or unset it.',
    );
  }
  const old = await prisma.apiKey.findMany({
    where: { tenantId, isEnvironment: true, revokedAt: null, NOT: { hash } },
  });
  for (const { id } of old) await retireEnvironmentKey(forTenant(database, tenantId), id);
  if (existing === null) {
    await createApiKey(database, { tenantId, name: environmentKeyName, role: 'admin', secret, isEnvironment: true });
  } else if (!existing.isEnvironment || existing.revokedAt !== null || existing.expiresAt !== null) {
    await prisma.apiKey.update({ where: { hash }, data: { isEnvironment: true, revokedAt: null, expiresAt: null } });
  }
}

/**
 * Revokes the key like a person would, except that it still belongs to the environment, so that going back to its
 * value restores it.
 */
async function retireEnvironmentKey(db: TenantDb, id: number): Promise<void> {
  await db.transaction(async (client) => {
    await db.query(revokeKey, [id, ...actorValues(operator)], client);
    await db.query(keepEnvironmentKey, [id], client);
  });
}
