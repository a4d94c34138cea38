import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resourceOfFile } from '../../src/catalog/index.ts';
import { openImport } from '../../src/cli/import/sources.ts';
import { pictureFilesOf } from '../../src/cli/picture-files.ts';
import { walkFolder } from '../../src/cli/walk-folder.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);

/** A folder with one picture, and with everything that blocks or is endless when it is read. */
async function hostileFolder(): Promise<{ folder: string; close: () => void }> {
  const folder = newFolder({ name: 'v' });
  mkdirSync(join(folder, 'sub'));
  for (const name of ['a.jpg', 'b.jpg', '.hidden.jpg']) writeFileSync(join(folder, name), '');
  for (const name of ['pipe.jpg', 'b.jpg.xmp', 'notes.txt']) execFileSync('mkfifo', [join(folder, name)]);
  for (const [to, name] of [
    ['a.jpg', 'link.jpg'],
    ['x.jpg', 'x.jpg'],
    ['..', 'sub/loop'],
    ['notes.txt', 'text'],
  ] as const)
    symlinkSync(to, join(folder, name));
  const socket = createServer().listen(join(folder, 'sub', 'socket.png'));
  await new Promise((resolve) => socket.once('listening', resolve));
  return { folder, close: () => void socket.close() };
}

describe('an import of a folder', () => {
  it('names each file and folder whose name is not UTF-8, and goes on with the others', async () => {
    const folder = newFolder({ name: 'v' });
    const named = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
    for (const name of ['caf\xe9.jpg', 'caf\xea.jpg', '.\xe9.jpg', '\xe9.txt', 'a.jpg']) writeFileSync(named(name), '');
    writeFileSync(join(folder, 'é\uFFFD.jpg'), '');
    mkdirSync(named('\xfc'));
    const entries = [];
    for await (const entry of (await openImport([folder], [folder])).read()) entries.push(entry);
    const fault = expect.stringContaining('its name is not UTF-8');
    expect(entries).toEqual([
      { place: '\\xFC', fault },
      { place: 'caf\\xE9.jpg', fault },
      { place: 'caf\\xEA.jpg', fault },
      { place: 'a.jpg', record: { id: 'a.jpg', src_path: 'a.jpg' } },
      { place: 'é\uFFFD.jpg', record: expect.objectContaining({ src_path: 'é\uFFFD.jpg' }) },
    ]);
  });

  it('leaves out pipes, sockets, links and circles of links, counts them, and fails for a sidecar that is a pipe', async () => {
    const { folder, close } = await hostileFolder();
    const source = await openImport([folder], [folder]);
    expect(source.notes).toEqual(['left out: 3 symbolic links, 2 pipes, sockets or devices']);
    const entries = [];
    for await (const entry of source.read()) entries.push(entry);
    expect(entries).toEqual([
      { place: 'a.jpg', record: { id: 'a.jpg', src_path: 'a.jpg' } },
      { place: 'b.jpg', fault: 'its sidecar b.jpg.xmp is not a file; correct or remove it' },
    ]);
    expect(await pictureFilesOf(folder)).toEqual([join(folder, 'a.jpg'), join(folder, 'b.jpg')]);
    close();
  });

  it('names what it leaves out by the endings of their names, the most frequent first', async () => {
    const folder = newFolder();
    const names = [
      'a.jpg',
      'b.HEIC',
      'c.jfif',
      'd.mts',
      'one.nef',
      'two.NEF',
      'e.psd',
      'README',
      'a.xmp',
      'a.jpg.json',
    ];
    for (const name of [...names, 'Thumbs.db', 'desktop.ini']) writeFileSync(join(folder, name), '');
    for (const system of ['@eaDir', '#recycle', '__MACOSX']) {
      mkdirSync(join(folder, system));
      writeFileSync(join(folder, system, 'preview.jpg'), '');
    }
    const { files, leftOut } = await walkFolder(folder, (name) => resourceOfFile(name) !== null);
    expect(files).toEqual(['a.jpg', 'b.HEIC', 'c.jfif', 'd.mts']);
    expect(leftOut).toEqual(['2 .nef files', '1 file without an ending', '1 .psd file']);
    for (const ending of 'abcdefgh') for (const n of [1, 2, 3]) writeFileSync(join(folder, `${n}.${ending}`), '');
    expect((await walkFolder(folder, () => false)).leftOut.slice(6)).toEqual(['3 .g files', '3 .h files', '8 others']);
  });

  it('refuses a pipe, which it would read twice', async () => {
    const pipe = join(newFolder(), 'list.json');
    execFileSync('mkfifo', [pipe]);
    await expect(openImport([pipe], [])).rejects.toThrow(`${pipe} is neither a file nor a folder`);
    await expect(pictureFilesOf(pipe)).rejects.toThrow(`${pipe} is neither a file nor a folder`);
  });
});
