import { describe, expect, it } from 'vitest';
import { droppedFiles } from '../../console/src/import/dropped.ts';

const fileEntry = (name: string, isReadable = true) => ({
  name,
  isFile: true,
  file: (resolve: (file: File) => void, reject: (error: Error) => void) =>
    isReadable ? resolve(new File(['x'], name)) : reject(new Error('NotReadableError')),
});

/** A folder that the browser lists in two parts, as it does with large ones. */
const folderEntry = (name: string, entries: readonly object[], isReadable = true) => ({
  name,
  isFile: false,
  createReader() {
    const parts = [entries.slice(0, 1), entries.slice(1), []];
    return {
      readEntries: (resolve: (part: readonly object[]) => void, reject: (error: Error) => void) =>
        isReadable ? resolve(parts.shift() ?? []) : reject(new Error('NotReadableError')),
    };
  },
});

const drop = (...entries: readonly object[]) =>
  droppedFiles({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })) } as unknown as DataTransfer);

describe('dropped files', () => {
  it('include those in folders, with their paths below the dropped folder', async () => {
    const inner = folderEntry('2024', [fileEntry('b.jpg')]);
    const { files, unreadable } = await drop(folderEntry('archive', [fileEntry('a.jpg'), inner]), fileEntry('c.jpg'));
    expect([files.map(({ path }) => path), unreadable]).toEqual([['a.jpg', '2024/b.jpg', 'c.jpg'], []]);
  });

  it('are taken without what cannot be read, which is named', async () => {
    const closed = folderEntry('closed', [fileEntry('d.jpg')], false);
    const { files, unreadable } = await drop(
      folderEntry('archive', [fileEntry('a.jpg', false), fileEntry('b.jpg'), closed]),
      folderEntry('other', [], false),
    );
    expect([files.map(({ path }) => path), unreadable.toSorted()]).toEqual([['b.jpg'], ['a.jpg', 'closed', 'other']]);
  });
});
