import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { postmasterPid } from '../../../src/backing/index.ts';
import { newDataFolder } from '../../support/data-folder.ts';
import { full } from '../../support/effort.ts';
import { cleanUp, run } from '../../support/program.ts';

afterAll(cleanUp);

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command that %s ends leaves no database running', full, async (signal, code) => {
  const dataDir = newDataFolder();
  const { child, ended } = run(['migrate'], { DATA_DIR: dataDir });
  const postmaster = () => postmasterPid(join(dataDir, 'postgres'));
  await vi.waitUntil(postmaster, { timeout: 60_000 });
  child.kill(signal);
  expect(await ended).toBe(code);
  await vi.waitUntil(() => postmaster() === null, { timeout: 20_000 });
});
