// Sends requests generated from the OpenAPI document to a service started for it, and checks every answer against the
// document.
//   npm run fuzz                       about 12 000 requests
//   npm run fuzz -- --examples 20      a short run; --seed N repeats one; options after `--` go to schemathesis
// Needs schemathesis (pip install schemathesis); without it, the run is skipped with a message.
import { spawn, spawnSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readConfig } from '../dist/src/config/config.js';
import { createLogger } from '../dist/src/observability/logger.js';
import { serve } from '../dist/src/app/serve.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '250' },
    seed: { type: 'string', default: '1' },
    schemathesis: { type: 'string', default: 'schemathesis' },
  },
});

const found = spawnSync(values.schemathesis, ['--version'], { encoding: 'utf8' });
if (found.status !== 0) {
  process.stdout.write('skipped: schemathesis is not installed (pip install schemathesis)\n');
  process.exit(0);
}

const key = 'vt_key-of-the-fuzzing-run';

/** Stores pictures to find, change and delete, so that not every id is unknown. */
async function seed(url) {
  const body = readFileSync('examples/catalog.json');
  const headers = { 'API-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/imgs?wait=true&lang=en`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`the examples could not be stored: ${answer.status}`);
}

function runSchemathesis(url) {
  const args = ['--config-file', 'scripts/fuzz/schemathesis.toml', 'run', `${url}/openapi.json`];
  const options = ['--max-examples', values.examples, '--seed', values.seed, '--header', `API-Key: ${key}`];
  const child = spawn(values.schemathesis, [...args, ...options, ...positionals], {
    stdio: 'inherit',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  // The child process ends first; then the service is closed and its folder removed.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

let requests = 0;
subscribe('http.server.request.start', () => (requests += 1));

const folder = mkdtempSync(join(tmpdir(), 'vitrine-fuzz-'));
const media = join(folder, 'media');
cpSync('examples/pictures', media, { recursive: true });
const config = readConfig({ PORT: '0', DATA_DIR: join(folder, 'data'), MEDIA_ROOTS: media, ADMIN_API_KEY: key });
const service = await serve(config, createLogger('error'));
try {
  await seed(service.url);
  process.exitCode = await runSchemathesis(service.url);
} finally {
  process.stdout.write(`${requests} requests, ${found.stdout.trim()}\n`);
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
