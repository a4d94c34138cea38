import { cpSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { lockDataDir } from '../../../src/backing/index.ts';
import { cleanUp, newFolder } from '../../support/program.ts';

afterAll(cleanUp);

/** A lock that another process of this machine wrote for a folder; the parent of this process stands for it. */
function lockOfAnother(folder: string): string {
  const path = join(folder, 'server.pid');
  const [, , , identity] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, `${process.ppid}\n\n${hostname()}\n${identity}\n`);
  return path;
}

describe('the lock of a data folder', () => {
  it('is refused while another process has it, and is void in a copy of the folder', async () => {
    const [folder, copy] = [newFolder(), newFolder()];
    const unlock = await lockDataDir(folder);
    const path = lockOfAnother(folder);
    await expect(lockDataDir(folder)).rejects.toThrow(`process ${process.ppid}) already uses ${folder}`);
    cpSync(path, join(copy, 'server.pid'));
    const unlockCopy = await lockDataDir(copy);
    expect(readFileSync(join(copy, 'server.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`));
    unlockCopy();
    unlock();
    expect([existsSync(path), existsSync(join(copy, 'server.pid'))]).toEqual([false, false]);
  });

  it('of another machine counts while that renews it, and not when nobody does', async () => {
    const folder = newFolder();
    const path = join(folder, 'server.pid');
    writeFileSync(path, `1\n\nanother-host\n1:2\n`);
    const renewal = setTimeout(() => utimesSync(path, new Date(), new Date()), 500);
    await expect(lockDataDir(folder)).rejects.toThrow('process 1 on another-host');
    clearTimeout(renewal);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(path, longAgo, longAgo);
    const unlock = await lockDataDir(folder);
    expect(readFileSync(path, 'utf8')).toContain(hostname());
    unlock();
  });

  it('names the folder, the reason and what to do if the folder cannot be made', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    await expect(lockDataDir(file)).rejects.toThrow(`DATA_DIR ${file} cannot be written: a file has this name.\n`);
    const below = join(file, 'below');
    await expect(lockDataDir(below)).rejects.toThrow(/a part of its path is not a folder\.\nRun this as its owner/);
  });
});
