import { describe, expect, it } from 'vitest';
import { removeFiles } from '../../src/storage/index.ts';
import type { FileStore, OwnedParts } from '../../src/storage/index.ts';

/** Files of two parts each, and a store that fails for one of them. */
function openCase(ids: readonly string[], broken?: string) {
  const rows = new Map(ids.map((id) => [id, { id, tenantId: 7, parts: [10, 5] } satisfies OwnedParts]));
  const removed: string[] = [];
  const store = {
    async remove(name: string) {
      if (broken !== undefined && name.includes(broken)) throw new Error('the bucket does not answer');
      removed.push(name);
    },
  } as Partial<FileStore> as FileStore;
  const run = () =>
    removeFiles(store, {
      next: async () => [...rows.values()].slice(0, 2),
      drop: async (gone) => gone.filter((id) => rows.delete(id)).length,
      signal: undefined,
    });
  return { rows, removed, run };
}

describe('the removal of stored files', () => {
  it('removes all parts of all files, and then their rows', async () => {
    const { rows, removed, run } = openCase(['aa1', 'bb2', 'cc3']);
    expect(await run()).toBe(3);
    expect(rows.size).toBe(0);
    // The part at the end was perhaps stored but not listed.
    expect(removed.filter((name) => name.includes('bb2'))).toEqual(['7/bb/bb2-0', '7/bb/bb2-10', '7/bb/bb2-15']);
  });

  it('keeps the row of a file whose bytes are still there, and of no other', async () => {
    const { rows, run } = openCase(['aa1', 'bb2', 'cc3'], 'aa1');
    await expect(run()).rejects.toThrow('does not answer');
    expect([...rows.keys()]).toEqual(['aa1']);
  });
});
