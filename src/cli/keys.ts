import { Option } from 'commander';
import type { Command } from 'commander';
import { SetupError } from '../lib/errors.ts';
import {
  createApiKey,
  findValidKey,
  forTenant,
  getTenant,
  operator,
  revokeApiKey,
  roles,
  rotateApiKey,
  scopes as allScopes,
  grantedScopes,
} from '../tenants/index.ts';
import type { Role } from '../tenants/index.ts';
import { formatDate, writeLine, table } from './output.ts';
import { withSession } from './session.ts';
import { toComingDate, wholeFrom } from './values.ts';

type Json = Readonly<{ json?: boolean }>;
type Create = Json & Readonly<{ tenant: string; role?: Role; scopes?: string; name: string; expires?: Date | null }>;

export function addKeyCommands(program: Command): void {
  const key = program.command('key').alias('keys').description('manage API keys: create, list, revoke, rotate');
  key
    .command('create')
    .description('create an API key; it is shown only once')
    .requiredOption('--tenant <name>', 'tenant it belongs to')
    .addOption(new Option('--role <role>', 'role of the key').choices(roles))
    .option('--scopes <scopes>', `scopes that narrow the role, separated by commas: ${allScopes.join(', ')}`)
    .requiredOption('--name <name>', 'name of the client that will use it')
    .option('--expires <date>', 'expiry, such as 2027-01-31', toComingDate)
    .option('--json', 'print JSON')
    .action(createKey);
  key
    .command('list')
    .description('list the API keys, without their secrets')
    .option('--tenant <name>', 'only this tenant')
    .option('--json', 'print JSON')
    .action(listKeys);
  key
    .command('revoke <id-or-prefix>')
    .description('revoke a key; takes effect within a second')
    .option('--json', 'print JSON')
    .action(async (which: string, { json }: Json) => {
      const { id, prefix, name } = await withSession(({ backing }) => revokeApiKey(backing.database, which));
      writeLine({ id, prefix, name, revoked: true }, { json, text: () => `Revoked key ${id} (${prefix}…, ${name}).` });
    });
  key
    .command('rotate <id-or-prefix>')
    .description('replace a key with a new one that has the same rights; it is shown only once')
    .option('--overlap <seconds>', 'how long the old key stays valid', wholeFrom(0), 0)
    .option('--json', 'print JSON')
    .action(rotateKey);
}

async function rotateKey(which: string, { overlap, json }: Json & Readonly<{ overlap: number }>): Promise<void> {
  const { old, issued } = await withSession(async ({ backing: { database } }) => {
    const { id, tenantId } = await findValidKey(database, which);
    const rotation = { id, overlapSeconds: overlap, by: operator };
    return { old: id, issued: await rotateApiKey(forTenant(database, tenantId), rotation) };
  });
  if (issued === null) throw new SetupError(`No valid key has the id or prefix '${which}'.`);
  const { secret, key } = issued;
  const end = overlap === 0 ? 'is revoked' : `expires in ${overlap} s`;
  writeLine(
    { key: secret, id: key.id, prefix: key.prefix, succeeds: old },
    { json, text: () => `${secret}\n\nKey ${key.id} for '${key.name}' replaces key ${old}, which ${end}.` },
  );
}

async function createKey({
  tenant: tenantName,
  role,
  scopes,
  name,
  expires: expiresAt = null,
  json,
}: Create): Promise<void> {
  const { secret, key } = await withSession(async ({ backing: { database } }) => {
    const tenant = await getTenant(database, tenantName);
    const names = scopes?.split(',').map((scope) => scope.trim());
    return createApiKey(database, { tenantId: tenant.id, name, role, scopes: names, expiresAt });
  });
  const { id, prefix } = key;
  writeLine(
    { key: secret, id, prefix, name, role: key.role, scopes: grantedScopes(key), tenant: tenantName, expiresAt },
    {
      json,
      text: () =>
        `${secret}\n\nKey ${id} of '${tenantName}' for '${name}', role ${key.role}${narrowed(key)}. It is not shown again.`,
    },
  );
}

/** The scopes that narrow the role of a key, if any. */
function narrowed({ scopes }: Readonly<{ scopes: readonly string[] }>): string {
  return scopes.length === 0 ? '' : ` (${scopes.join(', ')})`;
}

async function listKeys({ tenant, json }: Json & Readonly<{ tenant?: string }>): Promise<void> {
  const keys = await withSession(async ({ backing: { database } }) =>
    database.prisma.apiKey.findMany({
      where: { ...(tenant !== undefined && { tenantId: (await getTenant(database, tenant)).id }) },
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
    row.role + narrowed(row),
    row.name,
    state(row.revokedAt, row.expiresAt),
    formatDate(row.lastUsedAt),
  ]);
  const plain = keys.map((row) => ({ ...row, tenant: row.tenant.name, state: state(row.revokedAt, row.expiresAt) }));
  writeLine(plain, { json, text: () => table(['ID', 'KEY', 'TENANT', 'ROLE', 'NAME', 'STATE', 'LAST USED'], rows) });
}
