import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readArchive, writeArchive } from '../../src/backup/index.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';

const admin = inject('postgresUrl');
let source: Awaited<ReturnType<typeof cloneDatabase>>;
let folder: string;

beforeAll(async () => {
  source = await cloneDatabase(admin);
  folder = mkdtempSync(join(tmpdir(), 'vitrine-folders-'));
});
afterAll(async () => {
  await source.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Every piece of an archive; `onPiece` is told of each as it comes. */
async function write(
  folders: Record<string, string>,
  onPiece = (_piece: Buffer) => {},
  except: readonly string[] = [],
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeArchive({ url: source.url, folders, except })) {
    onPiece(piece);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

it('an archive has no files of a folder that does not exist, and is not made where one cannot be read', async () => {
  expect((await write({ data: join(folder, 'absent') })).includes('"files": 0')).toBe(true);
  const file = join(folder, 'file');
  writeFileSync(file, 'no folder');
  await expect(write({ data: file })).rejects.toThrow('ENOTDIR');
});

it('an archive keeps DATA_DIR and the media apart, whichever lies in the other', async () => {
  const filesOf = (archive: Buffer) =>
    [...archive.toString('latin1').matchAll(/(?:data|media)\/[\w/.]+(?=\0)/g)].map(String);
  for (const [outer, inner] of [
    ['data', 'media'],
    ['media', 'data'],
  ] as const) {
    // prettier-ignore
    const around = join(folder, `${outer} around`);
    const within = join(around, inner);
    mkdirSync(within, { recursive: true });
    writeFileSync(join(around, 'outer.txt'), 'outer');
    writeFileSync(join(within, 'inner.txt'), 'inner');
    const both = { [outer]: around, [inner]: within };
    const except = [around, within];
    expect(filesOf(await write(both, undefined, except))).toEqual([`${outer}/outer.txt`, `${inner}/inner.txt`]);
    expect(filesOf(await write({ [outer]: around }, undefined, except))).toEqual([`${outer}/outer.txt`]);
    expect(filesOf(await write({ [inner]: within }, undefined, except))).toEqual([`${inner}/inner.txt`]);
  }
});

it('an archive leaves out a file that is removed while it is written', async () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(data, name), name);
  const archive = await write({ data }, (piece) => {
    const name = /^data\/([abc])\0/.exec(piece.toString('latin1'))?.[1];
    for (const other of readdirSync(data)) if (name !== undefined && other !== name) rmSync(join(data, other));
  });
  const target = await emptyDatabase(admin);
  const pieces = Readable.from([archive]) as AsyncIterable<Buffer>;
  const into = join(folder, 'restored');
  expect((await readArchive(pieces, { url: target.url, folders: { data: into }, replaces: false })).files).toBe(1);
  expect(readdirSync(into)).toHaveLength(1);
  await target.drop();
});

it('an archive leaves out changes, which bear the numbers of another server’s transactions', async () => {
  await onDatabase(source.url, async (database) => {
    await database.query(`INSERT INTO fingerprint_change (tenant_id, row_id) VALUES (1, 1)`);
    await database.query(`INSERT INTO frame_change (tenant_id, row_id) VALUES (1, 1)`);
  });
  const archive = await write({});
  expect(archive.includes('"image_fingerprint"')).toBe(true);
  expect(archive.includes('"fingerprint_change"')).toBe(false);
  expect(archive.includes('"frame_change"')).toBe(false);
});
