import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementError } from '../../../src/lib/errors.ts';
import { ByteBudget } from '../../../src/catalog/source/byte-budget.ts';
import { createSourceReader } from '../../../src/catalog/index.ts';
import type { SourceReader } from '../../../src/catalog/index.ts';
import { readConfig } from '../../../src/config/config.ts';

const server = createServer((_request, response) => response.end('from the address'));
let folder: string;
let src: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-reader-'));
  writeFileSync(join(folder, 'a.jpg'), 'from the folder');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  src = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.jpg`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function read(reader: SourceReader, kind: 'url' | 'path', value: string): Promise<string> {
  return reader.use({ kind, value }, { owner: 1 }, async (bytes) => bytes.toString());
}

describe('a source reader', () => {
  it('reads below the media roots and from the allowed networks of the configuration', async () => {
    const reader = createSourceReader(readConfig({ MEDIA_ROOTS: folder, SOURCE_ALLOW: '127.0.0.0/8' }));
    expect(await read(reader, 'path', 'a.jpg')).toBe('from the folder');
    expect(await read(reader, 'url', src)).toBe('from the address');
  });

  it('refuses what the configuration does not open', async () => {
    const reader = createSourceReader(readConfig({ MEDIA_ROOTS: join(folder, 'none') }));
    const forbidden = expect.objectContaining({ code: 'source_forbidden' });
    await expect(read(reader, 'path', join(folder, 'a.jpg'))).rejects.toThrow(forbidden);
    await expect(read(reader, 'url', src)).rejects.toThrow(forbidden);
  });

  it('does not take an address for a path, nor a path for an address', async () => {
    const reader = createSourceReader(readConfig({ MEDIA_ROOTS: folder, SOURCE_ALLOW: '127.0.0.0/8' }));
    await expect(read(reader, 'path', src)).rejects.toMatchObject({ code: 'source_unreachable', field: 'src_path' });
    await expect(read(reader, 'url', `file://${folder}/a.jpg`)).rejects.toMatchObject({ code: 'source_forbidden' });
  });

  it('stops fetching when it is aborted', async () => {
    const reader = createSourceReader(readConfig({ SOURCE_ALLOW: '127.0.0.0/8' }));
    const reason = new Error('stop');
    await expect(
      reader.use({ kind: 'url', value: src }, { owner: 1, signal: AbortSignal.abort(reason) }, async () => {}),
    ).rejects.toBe(reason);
  });

  it('counts bytes as held while something is done with them, and as few as there are', async () => {
    const budget = new ByteBudget({ all: 1000, each: 1000, first: 1000 });
    const reader = createSourceReader(readConfig({ MEDIA_ROOTS: folder }), budget);
    const source = { kind: 'path', value: 'a.jpg' } as const;
    await reader.use(source, { owner: 1 }, async (bytes) => expect(budget.held).toBe(bytes.length));
    expect(budget.held).toBe(0);
    await expect(reader.use(source, { owner: 1 }, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(budget.held).toBe(0);
  });

  it('reads a large file when there is room for it, and says of one that is too large what it always says', async () => {
    writeFileSync(join(folder, 'large.jpg'), Buffer.alloc(9 * 2 ** 20));
    truncateSync(join(folder, 'large.jpg'), 20 * 2 ** 20);
    writeFileSync(join(folder, 'huge.jpg'), '');
    truncateSync(join(folder, 'huge.jpg'), 129 * 2 ** 20);
    const budget = new ByteBudget({ all: 2 ** 30, each: 2 ** 30, first: 2 ** 23 });
    const reader = createSourceReader(readConfig({ MEDIA_ROOTS: folder }), budget);
    const large = { kind: 'path', value: 'large.jpg' } as const;
    expect(await reader.use(large, { owner: 1 }, async () => budget.held)).toBe(20 * 2 ** 20);
    await expect(read(reader, 'path', 'huge.jpg')).rejects.toThrow('the file is larger than 128 MiB');
    const refusal = new ElementError('too_large', 'of what was done with it');
    let times = 0;
    await expect(reader.use(large, { owner: 1 }, () => Promise.reject(((times += 1), refusal)))).rejects.toBe(refusal);
    expect([times, budget.held]).toEqual([1, 0]);
  });
});
