import type { Command } from 'commander';
import { grantTo, prepareDatabase } from '../backing/index.ts';
import { readConfig } from '../config/config.ts';
import { withDatabaseUrl } from './database-url.ts';
import { writeLine } from './output.ts';

type Options = Readonly<{ grant?: string; check?: boolean; json?: boolean }>;

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the tables of the database up to date, apart from a start')
    .option('--grant <role>', 'let a role of PostgreSQL use the tables, and no more')
    .option('--check', 'change nothing; fail when something is missing')
    .option('--json', 'print JSON')
    .action(async ({ grant, check = false, json }: Options) => {
      const applied = await withDatabaseUrl(readConfig(), async (url) => {
        const names = await prepareDatabase(url, { migrates: !check });
        if (grant !== undefined) await grantTo(url, grant);
        return names;
      });
      const granted = grant === undefined ? '' : `\n${grant} may use them.`;
      const text = applied.length === 0 ? 'The tables are up to date.' : `Applied: ${applied.join(', ')}`;
      writeLine({ applied, granted: grant ?? null }, { json, text: () => text + granted });
    });
}
