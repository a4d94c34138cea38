import process from 'node:process';
import { openProgram } from '../../src/cli/program.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { newFolder } from './program.ts';

/** What a command printed on both of its streams, or on standard output alone, and what it ended with. */
export type Ended = Readonly<{ code: number; output: string; results: string }>;

/** A process has one environment, folder, exit code and standard output, so one command runs after the other. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the program in this process, to its end: a process of its own (`run` of program.ts) would load the
 * program for seconds. It has an empty folder and these variables alone, as there.
 */
export function command(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const ended = last.then(() => runHere(args, environment));
  last = ended.catch(() => {});
  return ended;
}

async function runHere(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const { env, exitCode, stdout, stderr } = process;
  const folder = process.cwd();
  const [writeResult, writeRemark] = [stdout.write, stderr.write];
  let [output, results] = ['', ''];
  const taking = (take: (text: string) => void) =>
    ((chunk: string | Uint8Array, ...others: unknown[]) => {
      take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      const done = others.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      return true;
    }) as typeof stdout.write;
  const program = await openProgram(args[0]);
  process.chdir(newFolder({ name: 'cwd-' }));
  process.env = { PATH: env['PATH'] ?? '', HOME: env['HOME'] ?? '', ...environment };
  process.exitCode = 0;
  stdout.write = taking((text) => {
    output += text;
    results += text;
  });
  stderr.write = taking((text) => (output += text));
  try {
    await runCommand(program, args);
    return { code: Number(process.exitCode ?? 0), output, results };
  } finally {
    [stdout.write, stderr.write] = [writeResult, writeRemark];
    process.exitCode = exitCode;
    process.env = env;
    process.chdir(folder);
  }
}
