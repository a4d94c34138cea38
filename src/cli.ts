import process from 'node:process';
import { Command } from 'commander';
import { addAuditCommand } from './cli/audit.ts';
import { addBackupCommands } from './cli/backup.ts';
import { addCalibrateCommand } from './cli/calibrate.ts';
import { addDoctorCommand } from './cli/doctor/index.ts';
import { addDuplicateCommands } from './cli/duplicates.ts';
import { addExplainCommand } from './cli/explain.ts';
import { faultInWords } from './cli/faults.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addMigrateCommand } from './cli/migrate.ts';
import { addReindexCommand } from './cli/reindex.ts';
import { addSimilarCommand } from './cli/similar.ts';
import { addTagCommand } from './cli/tag.ts';
import { addTenantCommands } from './cli/tenants.ts';
import { packageVersion } from './package-root.ts';

const program = new Command('vitrine')
  .description('Media catalog, search and tagging service.')
  .version(packageVersion)
  .showHelpAfterError('What it takes is told by --help.')
  // Options have pages of their own; without them the list keeps within 80 columns.
  .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(' ').trim() });

program.commandsGroup('Run it:');

program
  .command('serve')
  .description('start the service (what npm start does)')
  // The schema and the server take as long to load as everything else, and no other command needs them.
  .action(async () => (await import('./main.ts')).main());
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

try {
  await program.parseAsync();
} catch (error) {
  const words = faultInWords(error);
  if (words === null) throw error;
  const wantsJson = process.argv.includes('--json');
  process.stderr.write(wantsJson ? `${JSON.stringify({ error: words })}\n` : `${words}\n`);
  process.exitCode = 1;
}
