import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { packageRoot } from '../../src/lib/package-root.ts';

const script = '/usr/bin/script';
/** Whether programs can have a terminal here. */
export const hasTerminals = process.platform === 'linux' && existsSync(script);

/** Types these keys as soon as this is on the screen. */
type Typed = Readonly<{ prompt: string; keys: string }>;

/** Runs the program in a terminal with colors. @returns the exit code, and what was on the screen */
export async function runInTerminal(
  args: readonly string[],
  environment: Record<string, string>,
  typed?: Typed,
): Promise<Readonly<{ code: number | null; screen: string }>> {
  const words = [process.execPath, 'bin/vitrine.js', ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(script, ['-qec', words, '/dev/null'], {
    cwd: packageRoot,
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', COLORTERM: 'truecolor', ...environment },
  });
  let [screen, isTyped] = ['', false];
  child.stdout.on('data', (part) => {
    screen += part;
    if (isTyped || typed === undefined || !screen.includes(typed.prompt)) return;
    isTyped = true;
    child.stdin.write(typed.keys);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, screen: screen.replaceAll('\r\n', '\n') };
}
