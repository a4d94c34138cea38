import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { full } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

const run = promisify(execFile);
const folder = join(packageRoot, 'clients', 'python');
/** Where what the tests need is installed, once. */
const venv = join(packageRoot, 'dist', 'python-client');
const python = join(venv, 'bin', 'python');
const packages = ['httpx>=0.27', 'pydantic>=2.6', 'pytest>=8', 'mypy>=1.10', 'pandas>=2', 'pandas-stubs'];

/** Why there is no Python with these packages, or '' where there is one. */
function whyNoPython(): string {
  try {
    if (existsSync(join(venv, 'installed'))) return '';
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)'], { stdio: 'ignore' });
    execFileSync('python3', ['-m', 'venv', venv], { stdio: 'ignore' });
  } catch {
    return ' (skipped: no Python 3.10)';
  }
  try {
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'ignore', timeout: 280_000 });
    execFileSync(python, ['-c', `open(${JSON.stringify(join(venv, 'installed'))}, 'w')`]);
    return '';
  } catch {
    return ' (skipped: its packages cannot be installed)';
  }
}

const isFull = process.env['TEST_EFFORT'] !== '0';
const why = isFull ? whyNoPython() : '';

describe.skipIf(why !== '')(`the Python client${why}`, full, () => {
  let world: World;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const imageAnalyzer = analyzerOf(['shape', 'colors', 'pdq', 'localFeatures', 'concepts', 'caption']);
    world = await openWorld({ mediaRoots: [join(packageRoot, 'examples', 'pictures')], imageAnalyzer });
    const client = await world.client();
    await client.write('POST', '/imgs?lang=en', readFileSync(join(packageRoot, 'examples', 'catalog.json'), 'utf8'));
    environment = {
      PATH: process.env['PATH'],
      PYTHONPATH: join(folder, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      VITRINE_URL: world.url,
      VITRINE_KEY: client.key,
    };
  });
  afterAll(() => world?.close());

  const answer = (...args: string[]) =>
    run(python, args, { cwd: folder, env: environment }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );

  it('does against the service what its tests say', async () => {
    expect(await answer('-m', 'pytest', '-q', '-p', 'no:cacheprovider')).toMatch(/\d+ passed in/);
  });

  it('has types without a fault', async () => {
    expect(await answer('-m', 'mypy', '--cache-dir', join(venv, 'mypy'))).toContain('Success');
  });
});
