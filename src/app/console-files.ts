import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';

const folder = join(packageRoot, 'dist', 'console');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Paths of the console page and of its session. */
export const consolePath = '/app';
export const sessionPath = '/app/session';

/** A file of the built console. */
type ConsoleFile = Readonly<{ path: string; file: string; type: string; isHashed: boolean }>;

/** The files of the built console: the page, and files whose names change with their contents. */
export const consoleFiles: readonly ConsoleFile[] = existsSync(folder) ? listFiles() : [];

function listFiles(): ConsoleFile[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return names
    .filter((name) => types[extname(name)] !== undefined)
    .map((name) => ({
      path: name === 'index.html' ? consolePath : `${consolePath}/${name}`,
      file: join(folder, name),
      type: types[extname(name)] ?? '',
      isHashed: name.startsWith('assets/'),
    }));
}
