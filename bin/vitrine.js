#!/usr/bin/env node
'use strict';

// A CommonJS module, for Node loads modules of the other kind in the very threads that are counted here: pictures are
// decoded in them, and files opened and read. Decoders alone fill the four that Node starts with, files wait behind
// them, and more than four cores would have nothing to do.
const { availableParallelism } = require('node:os');
process.env.UV_THREADPOOL_SIZE ??= String(2 * availableParallelism() + 4);

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const program = join(__dirname, '..', 'dist', 'src', 'cli.js');

if (existsSync(program)) {
  import(pathToFileURL(program).href);
} else {
  process.stderr.write('Vitrine is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
