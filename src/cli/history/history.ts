import type { Command } from 'commander';
import { listRecordChanges } from '../../catalog/index.ts';
import type { RecordChange } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { formatDate, writeLine } from '../output.ts';
import { withSession } from '../session.ts';
import { tenantDbOf } from '../tenant-db.ts';
import { wholeFrom } from '../values.ts';
import { fieldLines, paints } from './fields-text.ts';

type Options = Readonly<{ tenant: string; video?: boolean; limit: number; json?: boolean }>;

/** `vitrine history`: shows the changes of a record, and who made them. */
export function addHistoryCommand(program: Command): void {
  program
    .command('history')
    .description('show the changes of an image or video, newest first')
    .argument('<id>', 'id of the record, even if it was deleted')
    .option('--tenant <name>', 'tenant of the record', 'default')
    .option('--video', 'the record is a video')
    .option('--limit <n>', 'maximum number of changes', wholeFrom(1), 50)
    .option('--json', 'print JSON')
    .action(async (id: string, { tenant, video, limit, json }: Options) => {
      const changes = await withSession(async (session) => {
        const db = await tenantDbOf(session, tenant);
        const page = await listRecordChanges(db, video ? 'video' : 'image', id, { page: 1, limit });
        if (page === null) throw new AppError('not_found', `No ${video ? 'video' : 'image'} has or had the id ${id}.`);
        return page.results;
      });
      writeLine(changes, { json, isPainted: true, text: () => textOf(changes) });
    });
}

function textOf(changes: readonly RecordChange[]): string {
  if (changes.length === 0) return 'No changes are kept.';
  const { heading } = paints();
  return changes
    .flatMap(({ at, action, operationId, keyName, fields }) => {
      const by = [operationId === null ? '' : `operation ${operationId}`, keyName === null ? '' : `key '${keyName}'`];
      const parts = [formatDate(at), action, ...by.filter((part) => part !== '')];
      return [heading(parts.join('  ')), ...fieldLines(fields)];
    })
    .join('\n');
}
