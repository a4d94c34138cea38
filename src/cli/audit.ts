import { Option } from 'commander';
import type { Command } from 'commander';
import { auditActions, getTenant } from '../tenants/index.ts';
import { formatDate, writeLine, table } from './output.ts';
import { withSession } from './session.ts';
import { toDate, wholeFrom } from './values.ts';

type Options = Readonly<{ tenant?: string; action?: string; since?: Date; limit: number; json?: boolean }>;

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('show who did what in the last 90 days, newest first')
    .option('--tenant <name>', 'only this tenant')
    .addOption(new Option('--action <action>', 'only this action').choices(Object.keys(auditActions)))
    .option('--since <date>', 'only from this time on, such as 2027-01-31', toDate)
    .option('--limit <n>', 'maximum number of entries', wholeFrom(1), 50)
    .option('--json', 'print JSON')
    .action(listEntries);
}

async function listEntries({ tenant, action, since, limit, json }: Options): Promise<void> {
  const entries = await withSession(async ({ backing: { database } }) =>
    database.prisma.auditEntry.findMany({
      where: {
        ...(tenant !== undefined && { tenantId: (await getTenant(database, tenant)).id }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { lastAt: { gte: since } }),
      },
      omit: { bucket: true },
      include: { tenant: { select: { name: true } } },
      orderBy: { id: 'desc' },
      take: limit,
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
  writeLine(plain, {
    json,
    text: () => table(['LAST', 'TENANT', 'KEY', 'ACTION', 'SUBJECT', 'COUNT', 'ADDRESS'], rows),
  });
}
