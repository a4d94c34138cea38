import type { Command } from 'commander';
import { createTenant, describeSettings, setTenant, tenantSettings } from '../tenants/index.ts';
import { formatDate, writeLine, table } from './output.ts';
import { withSession } from './session.ts';
import { addMoveCommand } from './tenant-move/index.ts';

type Options = Readonly<{ json?: boolean }>;

const settingsHelp = table(
  ['SETTING', 'VALUES'],
  Object.entries(tenantSettings).flatMap(([name, { meaning, values }]) => [
    [name, values],
    ['', `  ${meaning}`],
  ]),
);

export function addTenantCommands(program: Command): void {
  const tenant = program
    .command('tenant')
    .alias('tenants')
    .description('manage tenants, separate catalogs in one database: create, set, list, move');
  tenant
    .command('create <name>')
    .description('create a tenant')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: Options) => {
      const created = await withSession(({ backing }) => createTenant(backing.database, name), { creates: true });
      writeLine(created, {
        json,
        text: () => `Created the tenant '${name}'. Next: vitrine key create --tenant ${name} --role editor --name NAME`,
      });
    });
  tenant
    .command('set <name> <settings...>')
    .description('set flags and limits of a tenant, such as rate_read=600/min')
    .addHelpText('after', `\n${settingsHelp}`)
    .option('--json', 'print JSON')
    .action(async (name: string, assignments: string[], { json }: Options) => {
      const changed = await withSession(({ backing }) => setTenant(backing.database, name, assignments));
      const settings = describeSettings(changed);
      const rows = Object.entries(settings).map(([setting, value]) => [setting, String(value)]);
      writeLine({ name, ...settings }, { json, text: () => table(['SETTING', 'VALUE'], rows) });
    });
  addMoveCommand(tenant);
  tenant
    .command('list')
    .description('list tenants')
    .option('--json', 'print JSON')
    .action(async ({ json }: Options) => {
      const tenants = await withSession(({ backing }) =>
        backing.database.prisma.tenant.findMany({
          orderBy: { id: 'asc' },
          include: { _count: { select: { images: true, videos: true, apiKeys: { where: { revokedAt: null } } } } },
        }),
      );
      const rows = tenants.map(({ name, createdAt, _count }) => [
        name,
        String(_count.images),
        String(_count.videos),
        String(_count.apiKeys),
        formatDate(createdAt),
      ]);
      const plain = tenants.map(({ _count, ...own }) => ({
        ...own,
        images: _count.images,
        videos: _count.videos,
        keys: _count.apiKeys,
      }));
      writeLine(plain, { json, text: () => table(['NAME', 'IMAGES', 'VIDEOS', 'KEYS', 'MADE'], rows) });
    });
}
