import type { Command } from 'commander';
import { grantTo, prepareDatabase } from '../backing/index.ts';
import { readConfig } from '../config/config.ts';
import { withDatabaseUrl } from './database-url.ts';
import { writeLine } from './output.ts';

type Options = Readonly<{ grant?: string; check?: boolean; json?: boolean }>;

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database without starting the service')
    .option('--grant <role>', 'grant a PostgreSQL role access to the tables, and nothing else')
    .option('--check', 'change nothing; fail if a migration is missing')
    .option('--json', 'print JSON')
    .action(async ({ grant, check = false, json }: Options) => {
      const work = async (url: string) => {
        const names = await prepareDatabase(url, { migrates: !check });
        if (grant !== undefined) await grantTo(url, grant);
        return names;
      };
      const applied = await withDatabaseUrl(readConfig(), work, { creates: !check });
      const granted = grant === undefined ? '' : `\n${grant} may use them.`;
      const text = applied.length === 0 ? 'The tables are up to date.' : `Applied: ${applied.join(', ')}`;
      writeLine({ applied, granted: grant ?? null }, { json, text: () => text + granted });
    });
}
