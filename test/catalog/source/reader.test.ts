import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSourceReader } from '../../../src/catalog/index.ts';
import type { SourceReader } from '../../../src/catalog/index.ts';
import { readConfig } from '../../../src/config.ts';

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
  return (await reader({ kind, value })).toString();
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

  it('stops fetching when it is told to', async () => {
    const reader = createSourceReader(readConfig({ SOURCE_ALLOW: '127.0.0.0/8' }));
    const reason = new Error('stop');
    await expect(reader({ kind: 'url', value: src }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
