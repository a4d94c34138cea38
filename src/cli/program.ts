import { Command } from 'commander';
import { addAuditCommand } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addCalibrateCommand } from './calibrate.ts';
import { addDoctorCommand } from './doctor/index.ts';
import { addDuplicateCommands } from './duplicates.ts';
import { addExplainCommand } from './explain.ts';
import { addFollowCommand } from './follow.ts';
import { addImportCommand } from './import/index.ts';
import { addKeyCommands } from './keys.ts';
import { addMigrateCommand } from './migrate.ts';
import { addReindexCommand } from './reindex.ts';
import { addSimilarCommand } from './similar.ts';
import { addTagCommand } from './tag.ts';
import { addTenantCommands } from './tenants.ts';
import { packageVersion } from '../lib/package-root.ts';
import { supervise } from '../app/supervisor.ts';

/** The command line with all its commands; nothing runs before it is told to parse. */
export const program = new Command('vitrine')
  .description('Media catalog, search and tagging service.')
  .version(packageVersion)
  .showHelpAfterError('Run with --help for usage.')
  // Options have pages of their own; without them the list keeps within 80 columns.
  .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(' ').trim() });

program.commandsGroup('Run it:');

program
  .command('serve')
  .description('start the service (what npm start does)')
  .option('--no-supervise', 'in this process only, without a restart after a crash')
  // The schema and the server take as long to load as everything else, and no other command needs them.
  .action(async ({ supervise: isSupervised }: Readonly<{ supervise: boolean }>) => {
    if (isSupervised) await supervise();
    else await (await import('../main.ts')).main();
  });
addDoctorCommand(program);
addMigrateCommand(program);
addBackupCommands(program);
addReindexCommand(program);
program.commandsGroup('Access:');
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
