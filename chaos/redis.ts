// A Redis of our own that can be emptied, killed and started again on the same address.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

export type RedisServer = Readonly<{
  url: string;
  port: number;
  /** Starts it again, empty; resolves when it answers. */
  start(): Promise<void>;
  /** Ends it as a power cut would; nothing of it is kept. */
  kill(): Promise<void>;
  /** Has it stand still, and go on: it neither answers nor ends connections. */
  pause(): void;
  resume(): void;
  /** Runs one command. */
  command(name: string, ...values: string[]): Promise<unknown>;
}>;

export type RedisServerOptions = Readonly<{ password?: string; settings?: readonly string[] }>;

/** The path of redis-server; null when it is not on PATH. */
export function findRedisServer(): string | null {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  return paths.find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a Redis that keeps nothing on disk. */
export async function startRedis({ password, settings = [] }: RedisServerOptions = {}): Promise<RedisServer> {
  const path = findRedisServer();
  if (path === null) throw new Error('redis-server is not on PATH');
  const port = await freePort();
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const secret = password === undefined ? [] : ['--requirepass', password];
  let child: ChildProcess | null = null;

  async function command(name: string, ...values: string[]): Promise<unknown> {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {}); // Told by the command that fails.
    try {
      await redis.connect();
      return await redis.call(name, ...values);
    } finally {
      redis.disconnect();
    }
  }

  async function start(): Promise<void> {
    child = spawn(path ?? '', [...options, ...secret, ...settings], { cwd: tmpdir(), stdio: 'ignore' });
    for (let attempts = 0; attempts < 400; attempts += 1) {
      if (await command('PING').catch(() => null)) return;
      await sleep(25);
    }
    throw new Error(`redis-server did not start on port ${port}`);
  }

  await start();
  return {
    url,
    port,
    start,
    async kill() {
      const ended = child;
      child = null;
      if (ended === null || ended.exitCode !== null) return;
      const closed = new Promise((resolve) => ended.once('close', resolve));
      ended.kill('SIGKILL');
      await closed;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    command,
  };
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
