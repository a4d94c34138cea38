import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderStore } from '../../src/storage/folder-store.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'vitrine-previews-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kilobyte = (n: number) => Buffer.alloc(1024, n);
const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.webp'));

describe('files of previews', () => {
  it('are read as they were written, and null where there is none', async () => {
    const store = openFolderStore(folder, { maxBytes: 2 ** 20 });
    await store.write('1/ab/x.webp', kilobyte(7));
    expect(await store.read('1/ab/x.webp')).toEqual(kilobyte(7));
    expect(await store.read('2/ab/x.webp')).toBeNull();
    await store.write('1/ab/y.webp', [kilobyte(1), Buffer.alloc(0), kilobyte(2)]);
    expect(await store.read('1/ab/y.webp')).toEqual(Buffer.concat([kilobyte(1), kilobyte(2)]));
    await store.close();
  });

  it('that were not used for longest make room for new ones', async () => {
    const store = openFolderStore(folder, { maxBytes: 20 * 1024 });
    for (let n = 0; n < 20; n += 1) {
      await store.write(`1/${n}.webp`, kilobyte(n));
      utimesSync(join(folder, `1/${n}.webp`), 1_000_000 + n, 1_000_000 + n);
    }
    await store.read('1/0.webp'); // Used now, and so the newest.
    await sleep(100);
    for (let n = 20; n < 24; n += 1) {
      await store.write(`1/${n}.webp`, kilobyte(n));
      await sleep(50);
    }
    await store.close();
    expect(files().length).toBeLessThanOrEqual(20);
    expect(await openFolderStore(folder, { maxBytes: 1 }).read('1/0.webp')).toEqual(kilobyte(0));
    expect(await openFolderStore(folder, { maxBytes: 1 }).read('1/1.webp')).toBeNull();
    expect(await openFolderStore(folder, { maxBytes: 1 }).read('1/23.webp')).toEqual(kilobyte(23));
  });

  it('are whole or not there, however many write the same one at once', async () => {
    const store = openFolderStore(folder, { maxBytes: 2 ** 20 });
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.write('1/x.webp', kilobyte(n))));
    const bytes = await store.read('1/x.webp');
    expect(bytes).toEqual(kilobyte(bytes?.[0] ?? -1));
    expect(readdirSync(join(folder, '1'))).toEqual(['x.webp']);
    await store.close();
  });

  it('that a killed process left unfinished are removed, not those that are being written', async () => {
    const unfinished = join(folder, '.unfinished');
    mkdirSync(unfinished);
    for (const name of ['left', 'written']) writeFileSync(join(unfinished, name), 'half');
    const twoHoursAgo = Date.now() / 1000 - 7200;
    utimesSync(join(unfinished, 'left'), twoHoursAgo, twoHoursAgo);
    const store = openFolderStore(folder, {});
    await store.write('1/x.webp', kilobyte(1));
    await store.close();
    expect(readdirSync(unfinished)).toEqual(['written']);
    expect(files()).toEqual(['1/x.webp']);
  });
});
