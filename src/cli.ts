import process from 'node:process';
import { openProgram } from './cli/program.ts';
import { endWithFault, runCommand } from './cli/run-command.ts';

// A reader that has seen enough, as `head`, is no fault; what else is to be done goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const args = process.argv.slice(2);
const program = await openProgram(args[0]);

// What fails outside of what is waited for ends a command too; the service says itself what it does then.
program.hook('preAction', (_program, command) => {
  if (command.name() === 'serve') return;
  process.on('uncaughtException', (error) => {
    void endWithFault(error, args).finally(() => process.exit());
  });
});

await runCommand(program, args);
