import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxFileBytes, readPath } from '../../../src/catalog/source/read-path.ts';
import { ElementError } from '../../../src/lib/errors.ts';
import { runsOf } from '../../support/effort.ts';

let base: string;
let root: string;
let other: string;

/**
 * base/root: a.jpg, same.jpg, folder/b.jpg, "línea 1.jpg", and links
 * base/other: c.jpg, same.jpg (another allowed root in some tests)
 * base/root-2, base/secret.txt: outside of every root
 */
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-paths-')));
  root = join(base, 'root');
  other = join(base, 'other');
  for (const folder of ['root/folder', 'root/..folder', 'other', 'root-2', 'outside']) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  const files = [
    'root/a.jpg',
    'root/same.jpg',
    'root/folder/b.jpg',
    'root/..folder/b.jpg',
    'root/línea 1.jpg',
    'other/c.jpg',
    'other/same.jpg',
    'root-2/d.jpg',
    'outside/e.jpg',
    'secret.txt',
  ];
  for (const file of files) writeFileSync(join(base, file), file);
  symlinkSync('a.jpg', join(root, 'link-to-a'));
  symlinkSync('folder', join(root, 'link-to-folder'));
  symlinkSync(join(base, 'secret.txt'), join(root, 'link-out'));
  symlinkSync(join(base, 'nothing'), join(root, 'link-out-to-nothing'));
  symlinkSync(join(base, 'outside'), join(root, 'link-out-to-folder'));
  symlinkSync('link-out', join(root, 'link-to-link-out'));
  symlinkSync('round', join(root, 'round'));
  symlinkSync(join(other, 'c.jpg'), join(root, 'link-to-other'));
  symlinkSync(root, join(base, 'link-to-root'));
  symlinkSync(join(root, 'a.jpg'), join(base, 'link-in'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function read(path: string, roots: readonly string[] = [root]): Promise<string> {
  return (await readPath(path, roots)).toString();
}

const fault = (code: string, message: string) =>
  expect.objectContaining({ name: 'ElementError', code, field: 'src_path', message });
const forbidden = fault('source_forbidden', 'src_path is not a file below an allowed media root');
const missing = fault('source_unreachable', 'src_path cannot be read: no such file');

describe('a path', () => {
  it.each([
    ['a name', 'a.jpg', 'root/a.jpg'],
    ['a name with a space and an accent', 'línea 1.jpg', 'root/línea 1.jpg'],
    ['a way down', 'folder/b.jpg', 'root/folder/b.jpg'],
    ['a name that begins with two full stops', '..folder/b.jpg', 'root/..folder/b.jpg'],
    ['a way down and up again', 'folder/../a.jpg', 'root/a.jpg'],
    ['a way with empty parts', './/folder///b.jpg', 'root/folder/b.jpg'],
    ['a name with a slash behind it', 'a.jpg/', 'root/a.jpg'],
    ['a link inside the root', 'link-to-a', 'root/a.jpg'],
    ['a way through a link inside the root', 'link-to-folder/b.jpg', 'root/folder/b.jpg'],
  ])('that is %s below the root is read', async (_what, path, content) => {
    expect(await read(path)).toBe(content);
  });

  it('may be absolute', async () => {
    expect(await read(join(root, 'folder/b.jpg'))).toBe('root/folder/b.jpg');
  });

  it('through a folder that another one has just replaced leads to what is there now', async () => {
    const write = (folder: string) => {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, 'f.jpg'), folder);
    };
    write('replaced');
    write('linked');
    expect(await read('replaced/f.jpg')).toBe('replaced');
    renameSync(join(root, 'replaced'), join(root, 'moved'));
    await expect(read('replaced/f.jpg')).rejects.toEqual(missing);
    symlinkSync('linked', join(root, 'replaced'));
    expect(await read('replaced/f.jpg')).toBe('linked');
    rmSync(join(root, 'replaced'));
    symlinkSync(join(base, 'outside'), join(root, 'replaced'));
    await expect(read('replaced/e.jpg')).rejects.toEqual(forbidden);
  });

  it('is read as the bytes that it holds', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    writeFileSync(join(root, 'bytes'), bytes);
    expect(await readPath('bytes', [root])).toEqual(bytes);
    writeFileSync(join(root, 'empty'), '');
    expect(await readPath('empty', [root])).toEqual(Buffer.alloc(0));
  });

  it.each([
    ['leads out', '../secret.txt'],
    ['leads out to nothing', '../nothing'],
    ['leads far out', '../../../../../../../../etc/passwd'],
    ['leads out on its way', 'folder/../../secret.txt'],
    ['leads out and in again under another name', '../root-2/d.jpg'],
    ['is absolute and outside', '/etc/passwd'],
    ['is absolute, outside and missing', '/nothing/at/all'],
    ['holds NUL', 'a.jpg\0'],
    ['holds NUL before a way out', '\0/../../secret.txt'],
    ['is the root itself', '.'],
    ['is empty', ''],
    ['is a folder', 'folder'],
    ['is a link to a folder', 'link-to-folder'],
    ['is a link out', 'link-out'],
    ['is a link to a link out', 'link-to-link-out'],
    ['is a link out to nothing', 'link-out-to-nothing'],
    ['goes through a link out', 'link-out-to-folder/e.jpg'],
    ['goes through a link out to nothing', 'link-out-to-folder/nothing'],
    ['goes through a link out to nothing and on', 'link-out-to-nothing/nothing'],
    ['goes through a link out and up', 'link-out-to-folder/../../secret.txt'],
    ['is a link to itself', 'round'],
  ])('that %s is forbidden', async (_what, path) => {
    await expect(read(path)).rejects.toThrow(forbidden);
  });

  it.each([
    ['out of the root', (to: string) => join(base, to), 'secret.txt'],
    ['out of the root by two full stops', (to: string) => join(root, '..') + sep + to, 'secret.txt'],
    ['into a folder whose name begins like that of the root', (to: string) => join(base, to), 'root-2/d.jpg'],
    ['to the root itself', () => root, ''],
    ['to the folder above', () => base, ''],
    ['by a link outside of the root to a file inside', (to: string) => join(base, to), 'link-in'],
  ])('that is absolute and leads %s is forbidden', async (_what, toPath, to) => {
    await expect(read(toPath(to))).rejects.toThrow(forbidden);
  });

  it.each([
    ['is missing', 'nothing.jpg'],
    ['is missing in a folder that is missing', 'nothing/at/all.jpg'],
    ['goes through a file', 'a.jpg/b.jpg'],
    ['is longer than any name', 'a'.repeat(5000)],
    ['is written in other letters', 'FOLDER/nothing.jpg'],
  ])('that %s cannot be read', async (_what, path) => {
    await expect(read(path)).rejects.toThrow(missing);
  });

  it.runIf(process.getuid?.() !== 0)('without permission cannot be read', async () => {
    writeFileSync(join(root, 'locked'), 'x');
    chmodSync(join(root, 'locked'), 0);
    await expect(read('locked')).rejects.toThrow(fault('source_unreachable', 'src_path cannot be read: EACCES'));
  });

  it('reveals nothing outside of the roots, whether it exists or not', async () => {
    const answer = (path: string) => readPath(path, [root]).catch((error: unknown) => error);
    for (const [exists, not] of [
      ['/etc/passwd', '/etc/nothing'],
      ['../secret.txt', '../nothing'],
      ['../outside/e.jpg', '../nothing/e.jpg'],
      ['link-out', 'link-out-to-nothing'],
      ['link-out-to-folder/e.jpg', 'link-out-to-folder/nothing'],
      ['link-out-to-folder/e.jpg', 'link-out-to-folder/nothing/at/all'],
    ] as const) {
      expect(await answer(exists)).toEqual(await answer(not));
    }
  });

  it('made of any parts is read from below the root or is refused', async () => {
    const names = [
      '..',
      '.',
      '',
      'folder',
      'a.jpg',
      'b.jpg',
      'link-out',
      'link-out-to-folder',
      'link-to-folder',
      'e.jpg',
    ];
    const parts = fc.array(fc.oneof(fc.constantFrom(...names), fc.string()), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (way, isAbsolute) => {
        const path = (isAbsolute ? root + sep : '') + way.join(sep);
        const answer = await read(path).catch((error: unknown) => (error instanceof ElementError ? 'refused' : error));
        expect(answer).toMatch(/^(refused|root\/.*)$/);
      }),
      { numRuns: runsOf('paths') },
    );
  });
});

describe('something that is no file', () => {
  it('such as a FIFO is forbidden, and no one waits for a writer', async () => {
    execFileSync('mkfifo', [join(root, 'fifo')]);
    await expect(read('fifo')).rejects.toThrow(forbidden);
  });

  it('such as a socket is refused', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    await expect(read('socket')).rejects.toThrow(ElementError);
    await new Promise((resolve) => server.close(resolve));
  });

  it.runIf(existsSync('/dev/zero'))('such as a device is forbidden, also when its folder is a root', async () => {
    for (const device of ['null', 'zero', 'random']) {
      await expect(read(device, ['/dev'])).rejects.toThrow(forbidden);
    }
  });
});

/** A file that can be opened, but not read. */
const unreadable = { folder: '/sys/class/net/lo', name: 'speed' } as const;

describe('a file that cannot be read', () => {
  it.skipIf(!existsSync(join(unreadable.folder, unreadable.name)))('is unreachable', async () => {
    const reading = readPath(unreadable.name, [unreadable.folder]);
    await expect(reading).rejects.toMatchObject({ code: 'source_unreachable', field: 'src_path' });
  });
});

describe('the size of a file', () => {
  it('may be 128 MiB and not a byte more', async () => {
    expect(maxFileBytes).toBe(128 * 2 ** 20);
    writeFileSync(join(root, 'large'), '');
    truncateSync(join(root, 'large'), maxFileBytes);
    expect((await readPath('large', [root])).length).toBe(maxFileBytes);
    truncateSync(join(root, 'large'), maxFileBytes + 1);
    await expect(read('large')).rejects.toThrow(fault('too_large', 'the file is larger than 128 MiB'));
    rmSync(join(root, 'large'));
  });
});

describe('several roots', () => {
  it('are tried in their order', async () => {
    expect(await read('same.jpg', [root, other])).toBe('root/same.jpg');
    expect(await read('same.jpg', [other, root])).toBe('other/same.jpg');
    expect(await read('c.jpg', [root, other])).toBe('other/c.jpg');
  });

  it('may each be meant by an absolute path', async () => {
    expect(await read(join(other, 'same.jpg'), [root, other])).toBe('other/same.jpg');
  });

  it('let a link lead from one to another', async () => {
    expect(await read('link-to-other', [root, other])).toBe('other/c.jpg');
    expect(await read('link-to-other', [other, root])).toBe('other/c.jpg');
    await expect(read('link-to-other', [root])).rejects.toThrow(forbidden);
  });

  it('answer alike in any order for a path that none of them has', async () => {
    for (const roots of [
      [root, other],
      [other, root],
    ]) {
      await expect(read('nothing.jpg', roots)).rejects.toThrow(missing);
      await expect(read('link-out', roots)).rejects.toThrow(missing);
      await expect(read('../secret.txt', roots)).rejects.toThrow(forbidden);
    }
  });

  it('do not open what stands beside the one by way of the other', async () => {
    await expect(read('../root-2/d.jpg', [root, other])).rejects.toThrow(forbidden);
    expect(await read(relative(root, join(root, 'a.jpg')), [root, other])).toBe('root/a.jpg');
  });
});

describe('a root', () => {
  it('that does not exist is passed over', async () => {
    expect(await read('a.jpg', [join(base, 'no-root'), root])).toBe('root/a.jpg');
  });

  it('that does not exist holds nothing, and says so no more than a path outside', async () => {
    await expect(read('a.jpg', [join(base, 'no-root')])).rejects.toThrow(forbidden);
    await expect(read(join(base, 'no-root', 'a.jpg'), [join(base, 'no-root')])).rejects.toThrow(forbidden);
  });

  it('must be there: without one nothing is read', async () => {
    await expect(read('a.jpg', [])).rejects.toThrow(forbidden);
    await expect(read(join(root, 'a.jpg'), [])).rejects.toThrow(forbidden);
  });

  it('may be a link, and absolute paths may name it or what it leads to', async () => {
    const link = join(base, 'link-to-root');
    expect(await read('a.jpg', [link])).toBe('root/a.jpg');
    expect(await read(join(link, 'folder/b.jpg'), [link])).toBe('root/folder/b.jpg');
    expect(await read(join(root, 'folder/b.jpg'), [link])).toBe('root/folder/b.jpg');
    await expect(read(`${link}/../secret.txt`, [link])).rejects.toThrow(forbidden);
  });

  it('may be the root of the file system', async () => {
    expect(await read(join(base, 'secret.txt'), ['/'])).toBe('secret.txt');
    expect(await read(join(base, 'secret.txt').slice(1), ['/'])).toBe('secret.txt');
  });

  it('may end with a slash', async () => {
    expect(await read('a.jpg', [`${root}/`])).toBe('root/a.jpg');
  });
});
