// Meilisearch servers of our own that can be killed and restarted with their data.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../chaos/redis.ts';

export type MeilisearchServer = Readonly<{
  url: string;
  /** Starts it with its data; resolves when it answers. */
  start(): Promise<void>;
  /** Kills it as a power failure would. */
  kill(): Promise<void>;
}>;

export type MeilisearchServers = Readonly<{
  servers: readonly MeilisearchServer[];
  urls: readonly [string, ...string[]];
  /** Ends all of them and removes their data. */
  close(): Promise<void>;
}>;

/** The key of all servers. */
export const serverKey = 'key-of-all-meilisearch-servers';

/** The path of the program meilisearch: MEILI_PROGRAM, or the one on PATH; null if there is none. */
export function findMeilisearchProgram(): string | null {
  const { MEILI_PROGRAM: named, PATH = '' } = process.env;
  const paths = PATH.split(delimiter).map((folder) => join(folder, 'meilisearch'));
  return [...(named === undefined ? [] : [named]), ...paths].find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts empty servers, which may reach each other. */
export async function startMeilisearchServers(count: number): Promise<MeilisearchServers> {
  const folder = mkdtempSync(join(tmpdir(), 'meilisearch-'));
  const names = Array.from({ length: count }, (_, n) => join(folder, String(n)));
  const servers = await Promise.all(names.map(async (name) => openServer(name, await freePort())));
  await Promise.all(servers.map((server) => server.start()));
  const [url = '', ...urls] = servers.map((server) => server.url);
  return {
    servers,
    urls: [url, ...urls],
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function openServer(folder: string, port: number): MeilisearchServer {
  const program = findMeilisearchProgram();
  if (program === null) throw new Error('meilisearch is not on PATH');
  const url = `http://127.0.0.1:${port}`;
  const options = [
    '--db-path',
    folder,
    '--http-addr',
    `127.0.0.1:${port}`,
    '--master-key',
    serverKey,
    '--no-analytics',
  ];
  // Without this option it refuses to query servers of the same network.
  const reach = ['--experimental-allowed-ip-networks', '127.0.0.0/8', '--log-level', 'ERROR'];
  let child: ChildProcess | null = null;
  return {
    url,
    async start() {
      child = spawn(program, [...options, ...reach], { stdio: 'ignore', cwd: tmpdir() });
      await whenHealthy(url);
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function whenHealthy(url: string): Promise<void> {
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    const isHealthy = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await sleep(30);
  }
  throw new Error(`Meilisearch at ${url} does not answer`);
}
