import { accessSync, constants, statSync } from 'node:fs';
import process from 'node:process';
import { misspelledSettings } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { exitCodeOf } from '../lib/exit-code.ts';
import { endOnUncaughtErrors } from './crash.ts';
import { consoleFiles, consolePath } from './console-files.ts';
import { createLogger } from '../observability/logger.ts';
import type { Logger } from '../observability/logger.ts';
import { httpApis } from './http-apis.ts';
import { serve } from './serve.ts';
import type { RunningService } from './serve.ts';
import { readyMessage } from './supervisor.ts';

/** Time for a service to end after its supervisor was killed; the next start waits for it. */
const orphanMs = 5_000;

/** A second SIGTERM after this time comes from a person who does not want to wait. */
const againMs = 1_000;

/** Starts the service, prints its address, and ends it on SIGINT or SIGTERM, or when its supervisor is gone. */
export async function runService(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const setCrashing = endOnUncaughtErrors(logger);
  const misspelled = misspelledSettings();
  for (const fault of misspelled) logger.warn(fault);
  if (process.connected) process.once('disconnect', endAlone);
  const service = await serve(config, logger);
  setCrashing(service);
  listenForEnd(service, logger);
  // After the listeners are set: the receiver may send a signal at once.
  process.send?.(readyMessage);
  const unreadable = config.mediaRoots.filter((root) => !isReadableFolder(root));
  for (const root of unreadable) logger.warn({ root }, 'a folder of MEDIA_ROOTS cannot be read');
  process.stdout.write(welcome(config, service, [...misspelled, ...unreadable.map(describeUnreadable)]));
}

/**
 * Only worth a warning: a worker on another machine, or a folder that is mounted later, may provide what is missing
 * here.
 */
function isReadableFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function listenForEnd(service: RunningService, logger: Logger): void {
  let isStopping = false;
  const stop = async (isUrgent: boolean) => {
    if (isStopping) return;
    isStopping = true;
    process.stdout.write('Stopping: waiting for running writes.\n');
    await service.close({ isUrgent });
    process.exit(0);
  };
  const begin = (isUrgent: boolean) => void stop(isUrgent).catch((error: unknown) => failToEnd(error, logger));
  let firstAt = Infinity;
  process.on('SIGTERM', () => {
    // It also arrives twice if the whole process group gets the signal, and the supervisor forwards it.
    if (performance.now() - firstAt > againMs) endNow(logger);
    firstAt = Math.min(firstAt, performance.now());
    begin(false);
  });
  // Sent by a person at the terminal; a second SIGINT ends the process at once.
  process.once('SIGINT', () => begin(true));
  process.off('disconnect', endAlone).once('disconnect', () => {
    logger.error('the supervisor has exited; the service stops');
    setTimeout(endAlone, orphanMs);
    begin(true);
  });
}

/** Ends without waiting for running work; an exit listener of the process stops the embedded PostgreSQL. */
function endNow(logger: Logger): never {
  logger.warn({ signal: 'SIGTERM' }, 'a second signal ends the service at once');
  process.exit(exitCodeOf('SIGTERM'));
}

function endAlone(): void {
  process.exit(1);
}

function failToEnd(error: unknown, logger: Logger): void {
  logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'the service did not stop cleanly');
  process.exit(1);
}

const describeUnreadable = (root: string) =>
  `${root} of MEDIA_ROOTS cannot be read: create the folder, or set MEDIA_ROOTS`;

function welcome(config: Config, { url, firstKey, backing }: RunningService, warnings: readonly string[]): string {
  const lines = ['', '  Vitrine is ready.', ''];
  if (url === null) lines.push('  role      worker, no address');
  else {
    const apis = httpApis.map(({ name, firstPath }) => `  ${name.padEnd(9)} ${url}${firstPath}`);
    if (consoleFiles.length > 0) lines.push(`  console   ${url}${consolePath}/`);
    lines.push(`  GraphiQL  ${url}/graphql`, ...apis, `  health    ${url}/health`);
  }
  lines.push(`  database  ${backing.description}`);
  if (backing.queue.server !== null) lines.push('  queue     Redis of REDIS_URL');
  if (backing.meilisearch !== null) lines.push('  search    Meilisearch of MEILI_URL, beside PostgreSQL');
  lines.push(`  media     ${config.mediaRoots.join(', ')}`);
  lines.push(...warnings.map((warning) => `  WARNING   ${warning}`));
  if (firstKey !== null) {
    lines.push('', `  API key   ${firstKey.secret}`, `            shown only once; stored in ${firstKey.path}`);
  }
  return `${lines.join('\n')}\n\n`;
}
