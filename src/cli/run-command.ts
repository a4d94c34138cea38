import process from 'node:process';
import type { Command } from 'commander';
import { interruptedCode, InterruptedError } from './interrupt.ts';
import { printable } from './printable.ts';
import { clearLine } from './progress.ts';

/** Ends a command with a message on standard error, in place of its progress; as JSON if the command was to print JSON. */
export async function endWithFault(error: unknown, args: readonly string[]): Promise<void> {
  const { lastWords } = await import('./faults.ts');
  const words = lastWords(error);
  const clear = process.stderr.isTTY ? clearLine : '';
  process.stderr.write(
    args.includes('--json') ? `${JSON.stringify({ error: words })}\n` : `${clear}${printable(words)}\n`,
  );
  process.exitCode = error instanceof InterruptedError ? interruptedCode : 1;
}

/** Runs a command to its end. Errors are reported on standard error and set `process.exitCode`. */
export async function runCommand(program: Command, args: readonly string[]): Promise<void> {
  await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => endWithFault(error, args));
}
