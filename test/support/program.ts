import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

/** The built program, as `npm start` runs it, in processes of its own. */
const program = (root: string) => join(root, 'bin', 'vitrine.js');
/** Folders to remove after the test. */
export const folders: string[] = [];
const children: ChildProcess[] = [];

/** A new folder, removed after the test. */
export function newFolder({ name = 'vitrine data ', mode = 0o755 } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

/** The lock that PostgreSQL holds while it runs on a data folder. */
export function lockOf(dataDir: string): string {
  const { folder } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { folder: string };
  expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true);
  return join(folder, 'postmaster.pid');
}

/** The process that serves on a data folder, below the one that watches over it. */
export function serverPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'server.pid'), 'utf8').split('\n')[0]);
}

/** A process of the program, and what it has printed: on both of its streams, or on standard output alone. */
export type Run = Readonly<{
  child: ChildProcess;
  output: () => string;
  results: () => string;
  ended: Promise<number | null>;
}>;

/** Runs the program to its end, or until it is stopped; at the latest when the test ends. */
export function run(args: readonly string[], environment: Record<string, string>, root?: string, node?: string): Run {
  const started = launch(args, environment, newFolder({ name: 'cwd-' }), root, node);
  children.push(started.child);
  return started;
}

/** Runs the program in a folder; whoever does this ends it. @param root where the package is @param node its Node */
export function launch(
  args: readonly string[],
  environment: Record<string, string>,
  cwd: string,
  root = packageRoot,
  node = process.execPath,
): Run {
  const child = spawn(node, [program(root), ...args], {
    cwd,
    // Nothing of this process's own environment: the test runner sets variables of its own.
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, results] = ['', ''];
  child.stdout?.on('data', (part) => {
    text += part;
    results += part;
  });
  child.stderr?.on('data', (part) => (text += part));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => text, results: () => results, ended };
}

/** Waits until a process says that it is ready; returns its address, if it has one. */
export async function ready({ child, output }: Run): Promise<string | null> {
  const deadline = Date.now() + 100_000;
  while (!output().includes('Vitrine is ready')) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || Date.now() > deadline) throw new Error(`${output()} (${child.signalCode ?? child.exitCode})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return /GraphiQL +(http:\S+)\/graphql/.exec(output())?.[1] ?? null;
}

/** Starts the service and waits until it says where it is. */
export async function start(
  environment: Record<string, string>,
  root?: string,
  node?: string,
): Promise<Run & { url: string }> {
  const started = run(['serve'], { PORT: '0', ...environment }, root, node);
  const url = await ready(started);
  if (url === null) throw new Error(started.output());
  return { ...started, url };
}

export async function stop({ child, ended }: Run): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

/** Ends what a test has started, and removes its folders. */
export function cleanUp(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
