import { Option } from 'commander';
import type { Command } from 'commander';
import { SetupError } from '../errors.ts';
import { createApiKey, getTenant, revokeApiKey, roles } from '../tenants/index.ts';
import type { Role } from '../tenants/index.ts';
import { formatDate, print, table } from './output.ts';
import { withSession } from './session.ts';

type Json = Readonly<{ json?: boolean }>;
type Create = Json & Readonly<{ tenant: string; role: Role; name: string; expires?: string }>;

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys: who may ask, and for what');
  key
    .command('create')
    .description('make an API key; it is shown once')
    .requiredOption('--tenant <name>', 'tenant it belongs to')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory())
    .requiredOption('--name <name>', 'name of the client that will use it')
    .option('--expires <date>', 'when it stops being valid, such as 2027-01-31')
    .option('--json', 'print JSON')
    .action(createKey);
  key
    .command('list')
    .description('list the API keys, without their secrets')
    .option('--tenant <name>', 'only of this tenant')
    .option('--json', 'print JSON')
    .action(listKeys);
  key
    .command('revoke <id-or-prefix>')
    .description('make a key invalid, within a second')
    .option('--json', 'print JSON')
    .action(async (which: string, { json }: Json) => {
      const { id, prefix, name } = await withSession(({ backing }) => revokeApiKey(backing.database, which));
      print({ id, prefix, name, revoked: true }, { json, text: () => `Revoked key ${id} (${prefix}…, ${name}).` });
    });
}

async function createKey({ tenant: tenantName, role, name, expires, json }: Create): Promise<void> {
  const expiresAt = expires === undefined ? null : new Date(expires);
  if (expiresAt !== null && Number.isNaN(expiresAt.getTime())) throw new SetupError(`'${expires}' is not a date.`);
  const { secret, key } = await withSession(async ({ backing: { database } }) => {
    const tenant = await getTenant(database, tenantName);
    return createApiKey(database, { tenantId: tenant.id, name, role, expiresAt });
  });
  const { id, prefix } = key;
  print(
    { key: secret, id, prefix, name, role, tenant: tenantName, expires_at: expiresAt },
    {
      json,
      text: () => `${secret}\n\nKey ${id} of '${tenantName}' for '${name}', role ${role}. It is not shown again.`,
    },
  );
}

async function listKeys({ tenant, json }: Json & Readonly<{ tenant?: string }>): Promise<void> {
  const keys = await withSession(({ backing }) =>
    backing.database.prisma.apiKey.findMany({
      ...(tenant !== undefined && { where: { tenant: { name: tenant } } }),
      omit: { hash: true },
      include: { tenant: { select: { name: true } } },
      orderBy: { id: 'asc' },
    }),
  );
  const state = (revokedAt: Date | null, expiresAt: Date | null) =>
    revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= new Date() ? 'expired' : 'valid';
  const rows = keys.map((row) => [
    String(row.id),
    `${row.prefix}…`,
    row.tenant.name,
    row.role,
    row.name,
    state(row.revokedAt, row.expiresAt),
    formatDate(row.lastUsedAt),
  ]);
  const plain = keys.map((row) => ({ ...row, tenant: row.tenant.name, state: state(row.revokedAt, row.expiresAt) }));
  print(plain, { json, text: () => table(['ID', 'KEY', 'TENANT', 'ROLE', 'NAME', 'STATE', 'LAST USED'], rows) });
}
