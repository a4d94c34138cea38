import process from 'node:process';
import { Command } from 'commander';
import { packageVersion } from '../lib/package-root.ts';
import { supervise } from '../app/supervisor.ts';
import { refuseEmpty } from './refuse-empty.ts';

/** Adds the commands of one file. */
type Adds = (program: Command) => void;

/** The commands of each file, grouped by topic. */
const groups: Readonly<Record<string, readonly (readonly [names: readonly string[], load: () => Promise<Adds>])[]>> = {
  'Service:': [
    [['serve'], async () => addServeCommand],
    [['doctor'], async () => (await import('./doctor.ts')).addDoctorCommand],
    [['migrate'], async () => (await import('./migrate.ts')).addMigrateCommand],
    [['backup', 'restore', 'move'], async () => (await import('./backup.ts')).addBackupCommands],
    [['reindex'], async () => (await import('./reindex.ts')).addReindexCommand],
  ],
  'Access:': [
    [['tenant', 'tenants'], async () => (await import('./tenants.ts')).addTenantCommands],
    [['key', 'keys'], async () => (await import('./keys.ts')).addKeyCommands],
    [['webhook', 'webhooks'], async () => (await import('./webhooks.ts')).addWebhookCommands],
    [['audit'], async () => (await import('./audit.ts')).addAuditCommand],
  ],
  'Pictures and formulas:': [
    [['import'], async () => (await import('./import/index.ts')).addImportCommand],
    [['export'], async () => (await import('./export.ts')).addExportCommand],
    [['mcp'], async () => (await import('./mcp.ts')).addMcpCommand],
    [['follow'], async () => (await import('./follow.ts')).addFollowCommand],
    [['watch'], async () => (await import('./watch.ts')).addWatchCommand],
    [['history'], async () => (await import('./history/history.ts')).addHistoryCommand],
    [['ops'], async () => (await import('./history/ops.ts')).addOperationCommands],
    [['purge'], async () => (await import('./history/purge.ts')).addPurgeCommand],
    [['tag'], async () => (await import('./tag.ts')).addTagCommand],
    [['explain'], async () => (await import('./explain.ts')).addExplainCommand],
    [['similar'], async () => (await import('./similar.ts')).addSimilarCommand],
    [['duplicates', 'verdict'], async () => (await import('./duplicates.ts')).addDuplicateCommands],
    [['merge'], async () => (await import('./merge.ts')).addMergeCommand],
    [['models'], async () => (await import('./models.ts')).addModelsCommand],
    [['calibrate'], async () => (await import('./calibrate.ts')).addCalibrateCommand],
  ],
};

/**
 * The command line with the named command only, or with all commands if there is no such name: most of the time of a short
 * command would be spent on loading the others.
 */
export async function openProgram(asked?: string): Promise<Command> {
  const program = new Command('vitrine')
    .description('Media catalog, search and tagging service.')
    .version(packageVersion)
    .showHelpAfterError('Run with --help for usage.')
    // Options are listed in the help of each command; without them the list fits into 80 columns.
    .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsOf(command)].join(' ').trim() })
    .hook('preAction', (_program, command) => refuseEmpty(command))
    .hook('preAction', (_program, command) => warnOfMisspelled(command));
  if (asked === '--version' || asked === '-V') return program;
  const only = Object.values(groups)
    .flat()
    .find(([names]) => names.some((name) => name === asked));
  for (const [group, rows] of Object.entries(groups)) {
    program.commandsGroup(group);
    for (const row of only === undefined ? rows : rows.filter((each) => each === only)) (await row[1]())(program);
  }
  return program;
}

/** Except in the service and the doctor, which report misspelled settings themselves. */
async function warnOfMisspelled(command: Command): Promise<void> {
  if (['serve', 'doctor'].includes(command.name())) return;
  const { misspelledSettings } = await import('../config/config.ts');
  for (const warning of misspelledSettings()) process.stderr.write(`Warning: ${warning}\n`);
}

function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the service (what npm start does)')
    .option('--no-supervise', 'run in this process only, without restarting it after a crash')
    .action(async ({ supervise: isSupervised }: Readonly<{ supervise: boolean }>) => {
      if (isSupervised) await supervise();
      else await (await import('../main.ts')).main();
    });
}

/** The arguments of a command, as its usage shows them. */
function argumentsOf({ registeredArguments }: Command): string {
  return registeredArguments
    .map((argument) => {
      const name = argument.name() + (argument.variadic ? '...' : '');
      return argument.required ? `<${name}>` : `[${name}]`;
    })
    .join(' ');
}
