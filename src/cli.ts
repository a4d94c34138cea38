import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Command } from 'commander';
import { addAuditCommand } from './cli/audit.ts';
import { addCalibrateCommand } from './cli/calibrate.ts';
import { addDuplicateCommands } from './cli/duplicates.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addExplainCommand } from './cli/explain.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addSimilarCommand } from './cli/similar.ts';
import { addTagCommand } from './cli/tag.ts';
import { addTenantCommands } from './cli/tenants.ts';
import { AppError, SetupError } from './errors.ts';
import { main } from './main.ts';
import { packageRoot } from './package-root.ts';

const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };

const program = new Command('vitrine')
  .description('Media catalog, search and tagging service.')
  .version(version)
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
