// PostgreSQL and the processes of the service, each started again whenever it ends.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postmasterPid, startEmbeddedPostgres } from '../src/backing/index.ts';
import { packageRoot } from '../src/lib/package-root.ts';
import type { Random } from './random.ts';
import { startRedis } from './redis.ts';
import type { RedisServer } from './redis.ts';

const program = join(packageRoot, 'bin', 'vitrine.js');

/** What can be killed, and how often relative to the others; `flush` empties Redis. */
const weights = { worker: 5, api: 3, postgres: 1, connection: 1, redis: 2, flush: 4 } as const;
export type Victim = keyof typeof weights;

export type StackOptions = Readonly<{
  /** Processes of each kind. */
  apis: number;
  workers: number;
  /** Whether the queue is on a Redis, which is killed and emptied too. */
  hasRedis: boolean;
}>;

/** A process of the service that is started again when it ends. */
type Kept = Readonly<{
  role: 'api' | 'worker';
  isReady(): boolean;
  url(): string | null;
  kill(): void;
  stop(): Promise<void>;
}>;

export type Stack = Readonly<{
  databaseUrl: string;
  media: string;
  /** Addresses of the API processes that answer now. */
  urls(): string[];
  /** Resolves when the database, an API process and a worker are there. */
  whole(): Promise<void>;
  /** Kills something, chosen at random; returns what. */
  killAny(): Promise<Victim>;
  /** Lines that processes wrote although they should not have, such as of an uncaught error. */
  complaints(): readonly string[];
  close(): Promise<void>;
}>;

export async function openStack(random: Random, { apis, workers, hasRedis }: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-chaos-'));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'database');
  const media = join(folder, 'media');
  mkdirSync(media);
  const startDatabase = () => startEmbeddedPostgres({ dataDir, settings: ['max_connections=300'] });
  let postgres = await startDatabase();
  const { url } = postgres;
  const redis = hasRedis ? await startRedis() : null;
  const complaints: string[] = [];
  const environment = {
    DATABASE_URL: url,
    REDIS_URL: redis?.url ?? '',
    MEDIA_ROOTS: media,
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    AI_ANALYSIS: 'off',
  };
  const kept: Kept[] = [];
  const add = (role: Kept['role']) => void kept.push(keep(role, { ...environment, ROLE: role }, complaints));
  for (let i = 0; i < apis; i += 1) add('api');
  for (let i = 0; i < workers; i += 1) add('worker');
  const ready = (role: Kept['role']) => kept.filter((each) => each.role === role && each.isReady());
  const oneOf = <T>(list: readonly T[]): T | undefined => list[random.between(0, Math.max(0, list.length - 1))];
  const victims = redis === null ? { ...weights, redis: 0, flush: 0 } : weights;

  async function kill(victim: Victim): Promise<void> {
    if (victim === 'api' || victim === 'worker') return oneOf(ready(victim))?.kill();
    if (victim === 'connection') return killConnection(url, oneOf);
    if (victim === 'flush') return void (await redis?.command('FLUSHALL').catch(() => {}));
    const awayMs = random.between(0, 1500); // For as long as a restart can take.
    if (victim === 'redis') return redis === null ? undefined : restart(redis, awayMs);
    killPostgres(dataDir);
    await sleep(awayMs);
    postgres = await startDatabase();
  }

  return {
    databaseUrl: url,
    media,
    complaints: () => complaints,
    urls: () => ready('api').flatMap((each) => each.url() ?? []),
    async whole() {
      while (ready('api').length === 0 || ready('worker').length === 0) await sleep(20);
    },
    async killAny() {
      const victim = random.pick(victims);
      await kill(victim);
      return victim;
    },
    async close() {
      await Promise.all(kept.map((each) => each.stop()));
      await redis?.kill();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function restart(redis: RedisServer, awayMs: number): Promise<void> {
  await redis.kill();
  await sleep(awayMs);
  await redis.start();
}

function killPostgres(dataDir: string): void {
  const { folder } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { folder: string };
  const pid = postmasterPid(folder);
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

/** Kills the process behind one connection: PostgreSQL then drops all of them and recovers. */
async function killConnection(url: string, oneOf: <T>(list: readonly T[]) => T | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // It loses its own connection, too.
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid",
    );
    const pid = oneOf(rows)?.pid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It is recovering from the kill before.
  } finally {
    await client.end().catch(() => {});
  }
}

function keep(role: Kept['role'], environment: Record<string, string>, complaints: string[]): Kept {
  let child: ChildProcess | null = null;
  let output = '';
  let isStopping = false;

  async function run(): Promise<void> {
    while (!isStopping) {
      output = '';
      const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment };
      const started = spawn(process.execPath, [program, 'serve', '--no-supervise'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      const wasReady = () => output.includes('Vitrine is ready');
      started.stdout.on('data', (part) => (output += String(part)));
      started.stderr.on('data', (part) => (output += String(part)));
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        started.once('close', (...ended) => resolve(ended)),
      );
      child = null;
      // At start it may find no database and give up; later nothing but a signal may end it.
      if (signal === null && code !== 0 && wasReady()) complaints.push(`${role} ended with ${code}: ${output}`);
      await sleep(100);
    }
  }

  const running = run();
  const isReady = () => child !== null && output.includes('Vitrine is ready');
  return {
    role,
    isReady,
    url: () => (isReady() ? (/REST +(http:\S+)\/imgs/.exec(output)?.[1] ?? null) : null),
    kill: () => void child?.kill('SIGKILL'),
    async stop() {
      isStopping = true;
      child?.kill(isReady() ? 'SIGTERM' : 'SIGKILL');
      await running;
    },
  };
}
