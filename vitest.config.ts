import { availableParallelism } from 'node:os';
import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { builtModules, builtSources } from './test/support/built-sources.ts';

/** How much this run tries: see test/support/effort.ts. */
const effort = (mode: string) => process.env['TEST_EFFORT'] ?? (mode === 'full' ? '1' : '0');

/**
 * Most code of a test runs a few times: to optimize it takes more than that gains, and what a file of tests used is used
 * again by a later one, so it is not compiled again.
 */
const rarelyOptimized = ['--no-flush-bytecode'];
// Newer V8 has no such budget, and Node does not start with a flag that it does not know.
if (process.versions.node.startsWith('20.')) rarelyOptimized.push('--interrupt-budget=400000');

export default defineConfig(({ mode }) => ({
  // The package has an ES and a CommonJS copy of itself; everything must meet in one of them.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  plugins: [builtSources()],
  test: {
    server: { deps: { external: [builtModules] } },
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Each process loads the service once, and not once for each file.
    isolate: false,
    env: { TEST_EFFORT: effort(mode) },
    tags: [
      {
        name: 'full',
        description: 'tries more of what other tests make sure of, or takes long: npm run test:full',
        skip: effort(mode) === '0',
        timeout: 300_000,
      },
      {
        name: 'browser',
        description:
          'uses a browser, whose processes wait for one another: what fails on a busy machine is tried once more, and reported so',
        timeout: 300_000,
        retry: 1,
      },
      {
        name: 'timed',
        description: 'is sooner than a bound that a busy machine can miss: it is tried twice more, and reported so',
        retry: 2,
      },
    ],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What a browser shows takes as long as the machine is busy.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // A process keeps its modules for hundreds of files; with little room for what is new, collecting it takes a tenth of the run.
    execArgv: ['--max-semi-space-size=32', '--min-semi-space-size=16', ...rarelyOptimized],
    // Most of a test's time is waiting, for a process to start or an operation to end.
    maxWorkers: Math.max(4, availableParallelism()),
  },
}));
