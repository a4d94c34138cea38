import process from 'node:process';
import { Command } from 'commander';
import { addAuditCommand } from './cli/audit.ts';
import { addBackupCommands } from './cli/backup.ts';
import { addCalibrateCommand } from './cli/calibrate.ts';
import { addDuplicateCommands } from './cli/duplicates.ts';
import { addDoctorCommand } from './cli/doctor/index.ts';
import { addExplainCommand } from './cli/explain.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addMigrateCommand } from './cli/migrate.ts';
import { addSimilarCommand } from './cli/similar.ts';
import { addTagCommand } from './cli/tag.ts';
import { addTenantCommands } from './cli/tenants.ts';
import { AppError, SetupError } from './errors.ts';
import { main } from './main.ts';
import { packageVersion } from './package-root.ts';

const program = new Command('vitrine')
  .description('Media catalog, search and tagging service.')
  .version(packageVersion)
  .showHelpAfterError();

program.command('serve', { isDefault: false }).description('start the service (what npm start does)').action(main);
addTenantCommands(program);
addKeyCommands(program);
addAuditCommand(program);
addImportCommand(program);
addTagCommand(program);
addCalibrateCommand(program);
addExplainCommand(program);
addDuplicateCommands(program);
addMigrateCommand(program);
addBackupCommands(program);
addSimilarCommand(program);
addDoctorCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof SetupError) && !(error instanceof AppError)) throw error;
  const wantsJson = process.argv.includes('--json');
  process.stderr.write(wantsJson ? `${JSON.stringify({ error: error.message })}\n` : `${error.message}\n`);
  process.exitCode = 1;
}
