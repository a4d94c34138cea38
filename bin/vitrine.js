#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/src/cli.js', import.meta.url);

if (existsSync(fileURLToPath(program))) {
  await import(program.href);
} else {
  process.stderr.write('Vitrine is not built yet. Run: npm run build\n');
  process.exitCode = 1;
}
