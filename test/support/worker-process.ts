import { ready, run } from './program.ts';
import type { Run } from './program.ts';
import type { World } from './world.ts';

/** The built program as a worker of its own on the database of a world; ready when it says so. */
export async function startWorkerProcess(world: World, environment: Record<string, string> = {}): Promise<Run> {
  const started = run(['serve', '--no-supervise'], {
    ROLE: 'worker',
    DATABASE_URL: databaseUrlOf(world),
    MEDIA_ROOTS: world.media,
    DATA_DIR: world.media,
    SOURCE_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    AI_ANALYSIS: 'off',
    ...environment,
  });
  await ready(started);
  return started;
}

function databaseUrlOf({ backing }: World): string {
  const url = backing.database.pool.options.connectionString;
  if (url === undefined) throw new Error('the pool of a world has an address');
  return url;
}

/** Ends a process as a power cut would. */
export async function kill({ child, ended }: Run): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}
