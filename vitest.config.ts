import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The package has an ES and a CommonJS copy of itself; everything must meet in one of them.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Each process loads the service once, and not once for each file.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Most of a test's time is waiting, for a process to start or an operation to end.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
