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
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n\n`);
    process.exitCode = 1;
  } finally {
    process.channel?.unref();
  }
}
