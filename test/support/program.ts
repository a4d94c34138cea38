import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';

/** The built program, as `npm start` runs it, in processes of its own. */
const program = join(packageRoot, 'bin', 'vitrine.js');
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

/** A process of the program. */
export type Run = Readonly<{ child: ChildProcess; output: () => string; ended: Promise<number | null> }>;

/** Runs the program to its end, or until it is stopped. */
export function run(args: readonly string[], environment: Record<string, string>): Run {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: newFolder({ name: 'cwd-' }),
    // Nothing of this process's own environment: the test runner sets variables of its own.
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  child.stdout?.on('data', (part) => (text += part));
  child.stderr?.on('data', (part) => (text += part));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => text, ended };
}

/** Starts the service and waits until it says where it is. */
export async function start(environment: Record<string, string>): Promise<Run & { url: string }> {
  const started = run(['serve'], { PORT: '0', ...environment });
  const deadline = Date.now() + 60_000;
  for (;;) {
    const url = /REST +(http:\S+)\/imgs/.exec(started.output())?.[1];
    if (url !== undefined) return { ...started, url };
    if (started.child.exitCode !== null || Date.now() > deadline) throw new Error(started.output());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function stop({ child, ended }: Run): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
