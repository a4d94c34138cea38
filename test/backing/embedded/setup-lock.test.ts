import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { lockSetup } from '../../../src/backing/embedded/setup-lock.ts';
import { SetupError } from '../../../src/lib/errors.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

afterAll(cleanUp);

describe('the lock of a first start', () => {
  it('is given to one after the other', async () => {
    const folder = newFolder();
    const order: string[] = [];
    const setUp = async (name: string) => {
      const unlock = await lockSetup(folder);
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push(`${name} ends`);
      unlock();
    };
    await Promise.all([setUp('a'), setUp('b')]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(existsSync(join(folder, '.setup'))).toBe(false);
  });

  it.each([
    ['another process that was killed', () => spawnSync(process.execPath, ['-e', '']).pid],
    ['one that had the id of this process', () => process.pid],
  ])('is void if it was left by %s', async (_whose, pidOf) => {
    const folder = newFolder();
    writeFileSync(join(folder, '.setup'), String(pidOf()));
    const unlock = await lockSetup(folder);
    expect(readFileSync(join(folder, '.setup'), 'utf8')).toBe(String(process.pid));
    unlock();
  });

  it('is void after minutes, whoever has the id by now', async () => {
    const folder = newFolder();
    const path = join(folder, '.setup');
    writeFileSync(path, String(process.ppid));
    utimesSync(path, new Date(0), new Date(0));
    (await lockSetup(folder))();
    expect(existsSync(path)).toBe(false);
  });

  it('is refused in a sentence where nothing can be written', async () => {
    await expect(lockSetup(join(newFolder(), 'none'))).rejects.toThrow(SetupError);
  });
});
