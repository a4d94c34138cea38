import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { serviceFlags } from '../src/app/service-flags.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../src/lib/package-root.ts';

const program = join(packageRoot, 'bin', 'vitrine.js');
const preload = pathToFileURL(join(packageRoot, 'dist', 'attack', 'preload.js')).href;
/** A heap that runs out takes minutes to do so before it is started again. */
const startMs = 200_000;
const stopMs = 60_000;
/** Maximum length of a process's last output in the report. */
const saidLength = 1_500;

/** How the program ended without being asked to. */
export type Death = Readonly<{ at: number; how: string; said: string }>;

/** The program, which is started again whenever it ends. */
export type Service = Readonly<{
  port: number;
  pid(): number;
  deaths: readonly Death[];
  /**
   * Resolves when it answers. One that does not in time is ended, and counts as dead.
   *
   * @throws Error when the next one does not either.
   */
  ready(): Promise<void>;
  /** Ends these processes of it by force; it is started again, and counts as dead. */
  kill(why: string, pids: readonly number[]): void;
  stop(): Promise<void>;
}>;

export type ServiceOptions = Readonly<{ environment: Readonly<Record<string, string>>; notes: string }>;

/** Starts `vitrine serve` on a free port of this machine, and keeps it there. */
export async function startService({ environment, notes }: ServiceOptions): Promise<Service> {
  const port = await freePort();
  const deaths: Death[] = [];
  let child: ChildProcess | null = null;
  let isStopping = false;
  let reason: string | null = null;

  async function run(): Promise<void> {
    while (!isStopping) {
      const args = [...serviceFlags, program, 'serve', '--no-supervise'];
      const own = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NODE_ENV: 'production' };
      const env = { ...own, ...environment, PORT: String(port), VITRINE_ATTACK_NOTES: notes };
      // In the environment, for a supervisor hands that down to the process that it starts.
      const started = spawn(process.execPath, args, {
        env: { ...env, NODE_OPTIONS: `--import ${preload}` },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true, // A session of its own, as under its supervisor: Linux shares processors out among sessions.
      });
      child = started;
      let said = '';
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (part) => (said = (said + String(part)).slice(-saidLength)));
      }
      const how = await new Promise<string>((resolve) =>
        started.once('close', (code, signal) => resolve(signal ?? `code ${code}`)),
      );
      child = null;
      if (!isStopping) deaths.push({ at: Date.now(), how: reason ?? how, said });
      reason = null;
      if (!isStopping) await sleep(100);
    }
  }

  const running = run();
  const service: Service = {
    port,
    pid: () => child?.pid ?? 0,
    deaths,
    async ready() {
      if (await isReady(port)) return;
      service.kill(`ended by the tool, for it did not answer within ${startMs / 1000} s`, [service.pid()]);
      if (await isReady(port)) return;
      throw new Error(`the service does not answer\n${deaths.at(-1)?.said ?? ''}`);
    },
    kill(why, pids) {
      reason = why;
      for (const pid of pids) killNow(pid);
    },
    async stop() {
      isStopping = true;
      child?.kill('SIGTERM');
      const last = setTimeout(() => child?.kill('SIGKILL'), stopMs);
      await running;
      clearTimeout(last);
    },
  };
  await service.ready();
  return service;
}

function killNow(pid: number): void {
  // 0 stands for a process that is being started again; to the system it is the whole group of this one.
  if (pid === 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

async function isReady(port: number): Promise<boolean> {
  const until = performance.now() + startMs;
  while (performance.now() < until) {
    if (await isHealthy(port)) return true;
    await sleep(100);
  }
  return false;
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(5_000) })).status === 200;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
