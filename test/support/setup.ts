import process from 'node:process';
import { afterAll, afterEach, expect, inject, vi } from 'vitest';
import { isAlone } from './built-sources.ts';
import { cleanUp } from './program.ts';

// What `tmpdir` of Node answers.
process.env['TMPDIR'] = inject('temporary');

// Modules are loaded once for all files of a process; hooks of each file are registered here.
afterEach(cleanUp);

const { testPath } = expect.getState(); // oxlint-disable-line vitest/no-standalone-expect -- names the file, expects nothing
if (isAlone(testPath)) {
  vi.resetModules();
  afterAll(() => void vi.resetModules());
}
