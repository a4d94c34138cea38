import process from 'node:process';
import { Command } from 'commander';
import { addAuditCommand } from './cli/audit.ts';
import { addBackupCommands } from './cli/backup.ts';
import { addCalibrateCommand } from './cli/calibrate.ts';
import { addDoctorCommand } from './cli/doctor/index.ts';
import { addDuplicateCommands } from './cli/duplicates.ts';
import { addExplainCommand } from './cli/explain.ts';
import { lastWords } from './cli/faults.ts';
import { addFollowCommand } from './cli/follow.ts';
import { addImportCommand } from './cli/import/index.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addMigrateCommand } from './cli/migrate.ts';
import { addReindexCommand } from './cli/reindex.ts';
import { addSimilarCommand } from './cli/similar.ts';
import { addTagCommand } from './cli/tag.ts';
import { addTenantCommands } from './cli/tenants.ts';
import { packageVersion } from './lib/package-root.ts';
import { supervise } from './app/supervisor.ts';

const program = new Command('vitrine')
  .description('Media catalog, search and tagging service.')
  .version(packageVersion)
  .showHelpAfterError('Run with --help for usage.')
  // Options have pages of their own; without them the list keeps within 80 columns.
  .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(' ').trim() });

program.commandsGroup('Run it:');

program
  .command('serve')
  .description('start the service (what npm start does)')
  .option('--no-supervise', 'in this process alone: nobody starts it again after a crash')
  // The schema and the server take as long to load as everything else, and no other command needs them.
  .action(async ({ supervise: isSupervised }: Readonly<{ supervise: boolean }>) => {
    if (isSupervised) await supervise();
    else await (await import('./main.ts')).main();
  });
addDoctorCommand(program);
addMigrateCommand(program);
addBackupCommands(program);
addReindexCommand(program);
program.commandsGroup('Who may ask, and who did:');
addTenantCommands(program);
addKeyCommands(program);
addAuditCommand(program);
program.commandsGroup('Pictures and formulas:');
addImportCommand(program);
addFollowCommand(program);
addTagCommand(program);
addExplainCommand(program);
addSimilarCommand(program);
addDuplicateCommands(program);
addCalibrateCommand(program);

/** The arguments of a command as its usage names them. */
function argumentsOf({ registeredArguments }: Command): string {
  return registeredArguments
    .map((argument) => {
      const name = argument.name() + (argument.variadic ? '...' : '');
      return argument.required ? `<${name}>` : `[${name}]`;
    })
    .join(' ');
}

// A reader that has seen enough, as `head`, is no fault; what else is to be done goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Ends the command with a sentence on standard error. */
function fail(error: unknown): void {
  const words = lastWords(error);
  const wantsJson = process.argv.includes('--json');
  process.stderr.write(wantsJson ? `${JSON.stringify({ error: words })}\n` : `${words}\n`);
  process.exitCode = 1;
}

// What fails outside of what is waited for ends a command too; the service says itself what it does then.
program.hook('preAction', (_program, command) => {
  if (command.name() === 'serve') return;
  process.on('uncaughtException', (error) => {
    fail(error);
    process.exit();
  });
});

await program.parseAsync().catch(fail);
