import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';

/** Time limit of a command: the first run downloads a few hundred megabytes. */
const maxMs = 10 * 60_000;
const lastLines = 15;

/** Whether a command is not on PATH. */
export function missingTool(name) {
  return spawnSync('which', [name]).status !== 0;
}

/**
 * Runs `[command, ...arguments]`, or a function, in a folder and returns what it printed.
 * @throws Error with its last lines when it fails or takes too long
 */
export async function run(command, { folder, environment, log }) {
  if (typeof command === 'function') return (await command()) ?? '';
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...environment }, timeout: maxMs });
  let [output, all] = ['', ''];
  child.stdout.on('data', (piece) => ((output += piece), (all += piece), log.write(piece)));
  child.stderr.on('data', (piece) => ((all += piece), log.write(piece)));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return output;
  const tail = all.trim().split('\n').slice(-lastLines).join('\n');
  throw new Error(`${program} ${args[0] ?? ''} ended with ${code ?? 'a signal'}\n${tail}`);
}
