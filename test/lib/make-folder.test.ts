import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/lib/make-folder.ts';
import { makeOwnedFolder } from '../../src/lib/secret-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-folders-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a folder that is made', () => {
  it('comes with those above it, the topmost first', () => {
    const inner = join(folder, 'a', 'b', 'c');
    expect(makeFolder(inner)).toEqual([join(folder, 'a'), join(folder, 'a', 'b'), inner]);
    expect(existsSync(inner)).toBe(true);
    expect(makeFolder(inner)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('is refused at once where nobody can make one', () => {
    expect(() => makeFolder('/proc/none/here')).toThrow('ENOENT');
    expect(() => makeOwnedFolder('/proc/none/here')).toThrow('ENOENT');
  });
});
