import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { serviceFlags } from '../src/app/service-flags.ts';

/** A server in a separate process. */
export type RunningServer = Readonly<{ url: string; pid: number; startedInMs: number; stop(): Promise<void> }>;

/**
 * Starts a Node program and waits until it prints its address; a worker prints that it has none. `core` is the only core it
 * may use.
 */
export function startServer(
  args: readonly string[],
  environment: Record<string, string> = {},
  core?: number,
): Promise<RunningServer> {
  // The baseline gets the flags of the service as well.
  return startProgram([...onCore(core), process.execPath, ...serviceFlags, ...args], environment);
}

/** Starts any program and waits until it prints its address. */
export async function startProgram(
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<RunningServer> {
  const began = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), {
    env: { ...inherited(), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    startedInMs: performance.now() - began,
    stop: () =>
      new Promise((resolve) => {
        child.once('close', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** The variables of this process that tell where programs and packages are. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'NODE_PATH'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The prefix of a command that runs it on one core; only Linux can pin processes like this. */
function onCore(core: number | undefined): string[] {
  return core === undefined || process.platform !== 'linux' ? [] : ['taskset', '-c', String(core)];
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (part) => {
      output += String(part);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
      else if (output.includes('worker, no address')) resolve('');
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}:\n${output}`)));
  });
}

/** Resident memory of a process and its child processes, in MiB. */
export function residentWithChildrenMiB(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + residentMiB(each), 0);
}

/** Resident memory of the largest child process of a process, in MiB; 0 if there is none. */
export function largestChildMiB(pid: number): number {
  return Math.max(0, ...childrenOf(pid).map(residentMiB));
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Resident memory of a process in MiB; 0 if it has ended. */
export function residentMiB(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return Math.round(Number(kibibytes) / 1024);
}
