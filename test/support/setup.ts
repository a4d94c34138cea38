import process from 'node:process';
import { afterAll, afterEach, expect, inject, vi } from 'vitest';
import { cleanUp } from './program.ts';

/** Files that check process-wide state or move the clock: they have modules of their own. */
const alone = ['lib/time-slice.test.ts', 'search/plans.test.ts', 'search/meilisearch/contract.test.ts'];

// What `tmpdir` of Node answers.
process.env['TMPDIR'] = inject('temporary');

// Modules are loaded once for all files of a process; hooks of each file are registered here.
afterEach(cleanUp);

const { testPath } = expect.getState(); // oxlint-disable-line vitest/no-standalone-expect -- names the file, expects nothing
if (alone.some((name) => testPath?.endsWith(name))) {
  vi.resetModules();
  afterAll(() => void vi.resetModules());
}
