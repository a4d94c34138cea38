import process from 'node:process';
import { openProgram } from './cli/program.ts';
import { endWithFault, runCommand } from './cli/run-command.ts';

// A reader that stops early, such as `head`, is not an error; the remaining work continues.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const args = process.argv.slice(2);
const program = await openProgram(args[0]);

// A failure outside the awaited code ends a command too; the service itself handles such failures.
program.hook('preAction', (_program, command) => {
  if (command.name() === 'serve') return;
  process.on('uncaughtException', (error) => {
    void endWithFault(error, args).finally(() => process.exit());
  });
});

await runCommand(program, args);
