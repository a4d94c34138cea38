import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openImport } from '../../src/cli/import/sources.ts';
import { pictureFilesOf } from '../../src/cli/picture-files.ts';
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
  it('leaves out pipes, sockets, links and circles of links, counts them, and fails for a sidecar that is a pipe', async () => {
    const { folder, close } = await hostileFolder();
    const source = await openImport(folder, [folder]);
    expect(source.notes).toEqual(['left out: 3 symbolic links, 2 pipes, sockets or devices']);
    const entries = [];
    for await (const entry of source.read()) entries.push(entry);
    expect(entries).toEqual([
      { place: 'a.jpg', record: { id: 'a.jpg', src_path: 'a.jpg' } },
      { place: 'b.jpg', fault: 'its sidecar b.jpg.xmp is not a file; correct it or take it away' },
    ]);
    expect(await pictureFilesOf(folder)).toEqual([join(folder, 'a.jpg'), join(folder, 'b.jpg')]);
    close();
  });

  it('refuses a pipe, which it would read twice', async () => {
    const pipe = join(newFolder(), 'list.json');
    execFileSync('mkfifo', [pipe]);
    await expect(openImport(pipe, [])).rejects.toThrow(`${pipe} is neither a file nor a folder`);
    await expect(pictureFilesOf(pipe)).rejects.toThrow(`${pipe} is neither a file nor a folder`);
  });
});
