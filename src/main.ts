import process from 'node:process';
import { readConfig } from './config/config.ts';
import { SetupError } from './lib/errors.ts';

/** Starts the service. Reports faults in its configuration before loading the rest of the program, which takes a second. */
export async function main(): Promise<void> {
  try {
    const config = readConfig();
    const { runService } = await import('./app/run-service.ts');
    await runService(config);
  } catch (error) {
    const words = error instanceof SetupError ? error.message : await wordsOf(error);
    if (words === null) throw error;
    process.stderr.write(`\n${words}\n\n`);
    process.exitCode = 1;
  } finally {
    process.channel?.unref();
  }
}

/** The message for a failure of another kind that users can fix, such as a file that is not theirs; null for a bug. */
async function wordsOf(error: unknown): Promise<string | null> {
  const { faultInWords } = await import('./cli/faults.ts');
  return faultInWords(error);
}
