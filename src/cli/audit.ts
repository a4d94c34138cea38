import { Option } from 'commander';
import type { Command } from 'commander';
import { SetupError } from '../errors.ts';
import { auditActions, getTenant } from '../tenants/index.ts';
import { formatDate, print, table } from './output.ts';
import { withSession } from './session.ts';

type Options = Readonly<{ tenant?: string; action?: string; since?: string; limit: string; json?: boolean }>;

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('who did what, newest first, for 90 days')
    .option('--tenant <name>', 'only of this tenant')
    .addOption(new Option('--action <action>', 'only of this action').choices(Object.keys(auditActions)))
    .option('--since <date>', 'only from then on, such as 2027-01-31')
    .option('--limit <number>', 'how many entries', '50')
    .option('--json', 'print JSON')
    .action(listEntries);
}

async function listEntries({ tenant, action, since, limit, json }: Options): Promise<void> {
  const take = Number(limit);
  if (!Number.isInteger(take) || take < 1) throw new SetupError(`'${limit}' is not a number of entries.`);
  const after = since === undefined ? undefined : new Date(since);
  if (after !== undefined && Number.isNaN(after.getTime())) throw new SetupError(`'${since}' is not a date.`);
  const entries = await withSession(async ({ backing: { database } }) =>
    database.prisma.auditEntry.findMany({
      where: {
        ...(tenant !== undefined && { tenantId: (await getTenant(database, tenant)).id }),
        ...(action !== undefined && { action }),
        ...(after !== undefined && { lastAt: { gte: after } }),
      },
      omit: { bucket: true },
      include: { tenant: { select: { name: true } } },
      orderBy: { id: 'desc' },
      take,
    }),
  );
  const rows = entries.map((entry) => [
    formatDate(entry.lastAt),
    entry.tenant.name,
    entry.keyPrefix === null ? 'operator' : `${entry.keyPrefix}…`,
    entry.action,
    entry.operationId === null ? (entry.subject ?? '') : `${entry.subject ?? ''} ${entry.operationId}`.trim(),
    entry.count === 1 ? '' : `${entry.count} times`,
    entry.address ?? '-',
  ]);
  const plain = entries.map(({ id, operationId, tenant: { name }, ...entry }) => ({
    id: Number(id),
    ...entry,
    tenant: name,
    operationId: operationId === null ? null : Number(operationId),
  }));
  print(plain, {
    json,
    text: () => table(['LAST', 'TENANT', 'KEY', 'ACTION', 'SUBJECT', 'COUNT', 'ADDRESS'], rows),
  });
}
