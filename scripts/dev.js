// npm run dev: runs the service and restarts it whenever a source is saved. Only the saved file is rebuilt into
// dist/, by stripping its types with the tool that the tests use, so that threads and analysis processes also run the
// saved code. Nothing checks types here.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformWithOxc } from 'vite';

/** Folders with sources, files that are copied to dist/ unchanged, and the database schema. */
const watched = ['src', 'rest', 'prisma'];
/** Files that others are generated from: changing them requires a build. */
const isGenerating = (path) => path.endsWith('.wat') || path === join('prisma', 'schema.prisma');
/** Interval of polling. */
const pollIntervalMs = 300;
/** A service that has not ended by then is killed. */
const stopTimeoutMs = 5_000;

const typescript = { onlyRemoveTypeImports: true, rewriteImportExtensions: true };
const say = (text) => process.stdout.write(`[dev] ${text}\n`);

let child = null;
let isEnding = false;

/** Builds each source as a file of its own; without the stamp, `npm start` bundles them again. */
function build() {
  for (const bundled of ['program', '.built']) rmSync(join('dist', bundled), { recursive: true, force: true });
  const command = 'npm run --silent build:console && npm run --silent build:modules';
  return spawnSync(command, { stdio: ['ignore', 'ignore', 'inherit'], shell: true }).status === 0;
}

/** Updates dist/ with one source. @throws if its syntax is wrong. */
async function take(path) {
  const target = join('dist', path);
  // The service reads migrations from their original place.
  if (path.startsWith('prisma')) return;
  if (!existsSync(path)) return forget(target);
  mkdirSync(dirname(target), { recursive: true });
  if (!path.endsWith('.ts')) return cpSync(path, target, { recursive: true });
  const { code, map } = await transformWithOxc(readFileSync(path, 'utf8'), path, { lang: 'ts', typescript });
  const file = target.replace(/\.ts$/, '.js');
  writeFileSync(`${file}.map`, JSON.stringify(map));
  writeFileSync(file, `${code}\n//# sourceMappingURL=${file.split(/[\\/]/).at(-1)}.map\n`);
}

/** Removes the output of a deleted source, so that imports of it fail, as they would after a build. */
function forget(target) {
  const file = target.replace(/\.ts$/, '.js');
  for (const made of [file, `${file}.map`]) rmSync(made, { force: true });
}

async function takeAll(paths) {
  // The compiler's record of what it wrote to dist/ is now out of date.
  rmSync(join('dist', '.tsbuildinfo'), { force: true });
  if (paths.some(isGenerating)) {
    if (!build()) throw new Error('The build failed.');
    return;
  }
  for (const path of paths) await take(path);
}

function start() {
  const own = spawn(process.execPath, ['bin/vitrine.js', 'serve', '--no-supervise'], {
    // A process group of its own: Ctrl-C reaches this process, which forwards it once. If this process dies, the
    // service ends.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  own.once('exit', (code, signal) => {
    if (child === own) child = null;
    if (!isEnding && child === null && signal === null && code !== 0)
      say('The service ended. It is started at the next change.');
  });
  child = own;
}

async function stop() {
  const own = child;
  if (own === null) return;
  const ended = new Promise((resolve) => own.once('exit', resolve));
  own.kill('SIGINT');
  const killing = setTimeout(() => own.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(killing);
}

/** Takes changes and restarts the service; if a file cannot be read, the old service keeps running. */
async function restart(paths) {
  try {
    await takeAll(paths);
  } catch (error) {
    return say(error.message);
  }
  say(`${paths.join(', ')} changed.`);
  await stop();
  if (!isEnding) start();
}

/** The files in a folder, with the time when each was last written. */
function readTimes(folder, times = new Map()) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // A build writes these next to the sources, so they are not changes of sources.
    if (entry.name === 'generated' || entry.name.endsWith('.wasm')) continue;
    if (entry.isDirectory()) readTimes(path, times);
    else times.set(path, statSync(path, { throwIfNoEntry: false })?.mtimeMs);
  }
  return times;
}

/** Polls files, because systems report file saves in different ways, or not at all. */
async function watchSources() {
  const read = () => new Map(watched.flatMap((folder) => [...readTimes(folder)]));
  for (let known = read(); ;) {
    await sleep(pollIntervalMs);
    const now = read();
    const written = [...now].filter(([path, at]) => known.get(path) !== at).map(([path]) => path);
    const changed = [...written, ...[...known.keys()].filter((path) => !now.has(path))];
    known = now;
    if (changed.length > 0) await restart(changed);
  }
}

if (!build()) process.exit(1);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    isEnding = true;
    await stop();
    process.exit(0);
  });
}
say('Saved files are run at once. Types are checked by: npm run types');
start();
await watchSources();
