import process from 'node:process';
import { openProgram } from './cli/program.ts';

// A reader that has seen enough, as `head`, is no fault; what else is to be done goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Ends the command with a sentence on standard error. */
async function fail(error: unknown): Promise<void> {
  const { lastWords } = await import('./cli/faults.ts');
  const words = lastWords(error);
  const wantsJson = process.argv.includes('--json');
  process.stderr.write(wantsJson ? `${JSON.stringify({ error: words })}\n` : `${words}\n`);
  process.exitCode = 1;
}

const program = await openProgram(process.argv[2]);

// What fails outside of what is waited for ends a command too; the service says itself what it does then.
program.hook('preAction', (_program, command) => {
  if (command.name() === 'serve') return;
  process.on('uncaughtException', (error) => {
    void fail(error).finally(() => process.exit());
  });
});

await program.parseAsync().catch(fail);
