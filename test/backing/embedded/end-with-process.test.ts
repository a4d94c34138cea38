import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { postmasterPid } from '../../../src/backing/index.ts';
import { newDataFolder } from '../../support/data-folder.ts';
import { full } from '../../support/effort.ts';
import { cleanUp, newFolder, run, start } from '../../support/program.ts';
import { openWire } from '../../support/raw.ts';

afterAll(cleanUp);

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command that %s ends leaves no database running', full, async (signal, code) => {
  const dataDir = newFolder({ name: 'vitrine-data-' }); // Its tables take longer to make than the signal to arrive.
  const { child, ended } = run(['migrate'], { DATA_DIR: dataDir });
  const postmaster = () => postmasterPid(join(dataDir, 'postgres'));
  await vi.waitUntil(postmaster, { timeout: 60_000 });
  child.kill(signal);
  expect(await ended).toBe(code);
  await vi.waitUntil(() => postmaster() === null, { timeout: 20_000 });
});

it('a service that a second SIGTERM ends leaves no database running', full, async () => {
  const dataDir = newDataFolder();
  const key = 'a-key-of-the-operator-0001';
  const { child, ended, url } = await start({ DATA_DIR: dataDir, ADMIN_API_KEY: key });
  const half = await openWire(url); // Its end waits for the rest of the body.
  half.write(`POST /imgs/a HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\nContent-Length: 100\r\n\r\n{"src":`);
  await sleep(300);
  child.kill('SIGTERM');
  await sleep(1_500);
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  await vi.waitUntil(() => postmasterPid(join(dataDir, 'postgres')) === null, { timeout: 20_000 });
});
