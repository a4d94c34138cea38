import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/lib/package-root.ts';

const execute = promisify(execFile);

/** A copy of the repository with a history of one commit, to follow a recipe of CONTRIBUTING.md in. */
export type TreeCopy = Readonly<{
  folder: string;
  /** Runs a program in it. @throws Error with what it wrote where it fails. */
  run: (program: string, ...args: string[]) => Promise<string>;
  write: (path: string, text: string) => void;
  /** Inserts a text before the first place of another one. */
  insert: (path: string, before: string, text: string) => void;
  /** Remembers everything so far; `changed` is of what comes after. */
  commit: (message: string) => Promise<void>;
  /** Files that were changed or added since the last commit. */
  changed: () => Promise<string[]>;
  remove: () => void;
}>;

export async function copyTree(): Promise<TreeCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-recipe-'));
  const inside = async (program: string, ...args: string[]) => {
    // Nothing of this process's own environment: the test runner sets variables of its own.
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
    const options = { cwd: folder, env, maxBuffer: 2 ** 26 };
    const { stdout } = await execute(program, args, options).catch((error) => {
      throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`);
    });
    return stdout;
  };
  const listed = await execute('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: packageRoot });
  for (const path of listed.stdout.split('\0').filter((name) => name !== '')) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(join(packageRoot, path), join(folder, path));
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  await inside('git', 'init', '--quiet');
  writeFileSync(join(folder, '.git', 'info', 'exclude'), 'node_modules\n');
  const commit = async (message: string) => {
    await inside('git', 'add', '--all');
    await inside('git', '-c', 'user.name=recipe', '-c', 'user.email=recipe@localhost', 'commit', '-qm', message);
  };
  await commit('The tree as it is');
  return {
    folder,
    run: inside,
    commit,
    write: (path, text) => writeFileSync(join(folder, path), text),
    insert: (path, before, text) => {
      const content = readFileSync(join(folder, path), 'utf8');
      const at = content.indexOf(before);
      if (at === -1) throw new Error(`${path} has no ${before}`);
      writeFileSync(join(folder, path), content.slice(0, at) + text + content.slice(at));
    },
    changed: async () => {
      const status = await inside('git', 'status', '--porcelain', '--untracked-files=all');
      return status.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(3)]));
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}
