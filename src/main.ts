import process from 'node:process';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { SetupError } from './errors.ts';
import { createLogger } from './logger.ts';
import { serve } from './serve.ts';
import type { RunningService } from './serve.ts';

/** Starts the service, says where it is, and ends on SIGINT or SIGTERM. */
export async function main(): Promise<void> {
  try {
    const config = readConfig();
    const logger = createLogger(config.logLevel);
    const service = await serve(config, logger);
    // Before the welcome: who reads it may send a signal at once.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(service, signal));
    process.stdout.write(welcome(config, service));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n\n`);
    process.exitCode = 1;
  }
}

let stopping = false;

async function stop(service: RunningService, signal: NodeJS.Signals): Promise<void> {
  if (stopping) return;
  stopping = true;
  process.stdout.write('Stopping: running writes end first.\n');
  await service.close({ isUrgent: signal === 'SIGINT' }); // Someone sits in front of it.
  process.exit(0);
}

function welcome(config: Config, { url, firstKey, backing }: RunningService): string {
  const lines = ['', '  Vitrine is ready.', ''];
  if (url === null) lines.push('  role      worker, no address');
  else lines.push(`  GraphiQL  ${url}/graphql`, `  REST      ${url}/imgs`, `  health    ${url}/health`);
  lines.push(`  database  ${backing.description}`);
  if (backing.queue.server !== null) lines.push('  queue     Redis of REDIS_URL');
  if (backing.engine !== null) lines.push('  search    Meilisearch of MEILI_URL, beside PostgreSQL');
  lines.push(`  media     ${config.mediaRoots.join(', ')}`);
  if (firstKey !== null) {
    lines.push('', `  API key   ${firstKey.secret}`, `            shown this once; kept in ${firstKey.path}`);
  }
  return `${lines.join('\n')}\n\n`;
}
