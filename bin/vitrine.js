#!/usr/bin/env node
'use strict';

// A CommonJS module, for Node loads modules of the other kind in the very threads that are counted here: files are opened
// and read in them, names of hosts looked up, query images cut. One that waits for a slow disk or network keeps its
// thread, and the four that Node starts with are soon all kept.
const { availableParallelism } = require('node:os');
process.env.UV_THREADPOOL_SIZE ??= String(2 * availableParallelism() + 4);

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// What watches over the service loads nothing else; everything else is the command line's.
const [command, ...others] = process.argv.slice(2);
const isSupervisor = command === 'serve' && others.length === 0;
const built = join(__dirname, '..', 'dist');
// The whole program in few files, which a third of the time loads; while sources are edited, there is each file alone.
const programs = isSupervisor ? ['src/app/supervisor.js'] : ['program/cli.js', 'src/cli.js'];
const program = programs.map((path) => join(built, path)).find(existsSync);

if (program !== undefined) {
  const loaded = import(pathToFileURL(program).href);
  const isStartedByNpm = process.env.npm_lifecycle_event === 'start';
  if (isSupervisor) loaded.then(({ supervise }) => supervise({ isStartedByNpm }));
} else {
  process.stderr.write('Vitrine is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
