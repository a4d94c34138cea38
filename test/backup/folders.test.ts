import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readArchive, writeArchive } from '../../src/backup/index.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';
import { entriesOf } from './entries.ts';
import { full } from '../support/effort.ts';

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

/** Every piece of an archive; `onPiece` is called with each. */
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
  const namesOf = async (archive: Buffer) =>
    (await entriesOf(archive)).map(({ name }) => name).filter((name) => /^(?:data|media)\//.test(name));
  const files = { data: 'admin-key', media: 'one.txt' };
  for (const [outer, inner] of [
    ['data', 'media'],
    ['media', 'data'],
  ] as const) {
    // prettier-ignore
    const around = join(folder, `${outer} around`);
    const within = join(around, inner);
    mkdirSync(within, { recursive: true });
    writeFileSync(join(around, files[outer]), 'outer');
    writeFileSync(join(within, files[inner]), 'inner');
    const both = { [outer]: around, [inner]: within };
    const except = [around, within];
    const [first, second] = [`${outer}/${files[outer]}`, `${inner}/${files[inner]}`];
    expect(await namesOf(await write(both, undefined, except))).toEqual([first, second]);
    expect(await namesOf(await write({ [outer]: around }, undefined, except))).toEqual([first]);
    expect(await namesOf(await write({ [inner]: within }, undefined, except))).toEqual([second]);
  }
});

it('an archive of media leaves out hidden files, and keeps long and odd names', full, async () => {
  const media = join(folder, 'odd');
  const long = join(...Array.from({ length: 40 }, () => 'long'), 'ñ 🦊.jpg');
  const odd = ['a\nb.jpg', 'a\\b.jpg', '"quoted".jpg', long];
  for (const name of [...odd, '.htaccess', join('.ssh', 'authorized_keys')]) {
    mkdirSync(dirname(join(media, name)), { recursive: true });
    writeFileSync(join(media, name), name);
  }
  const archive = await write({ media });
  const names = (await entriesOf(archive)).map(({ name }) => name).filter((name) => name.startsWith('media/'));
  expect(names.toSorted()).toEqual(odd.map((name) => `media/${name}`).toSorted());
  const target = await emptyDatabase(admin);
  const into = join(folder, 'odd restored');
  const pieces = Readable.from([archive]) as AsyncIterable<Buffer>;
  await readArchive(pieces, { url: target.url, folders: { media: into }, replaces: false });
  for (const name of odd) expect(readFileSync(join(into, name), 'utf8')).toBe(name);
  await target.drop();
});

it('an archive leaves out a file that is removed while it is written', full, async () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(data, name), name);
  const archive = await write({ media: data }, (piece) => {
    const name = /^media\/([abc])\0/.exec(piece.toString('latin1'))?.[1];
    for (const other of readdirSync(data)) if (name !== undefined && other !== name) rmSync(join(data, other));
  });
  const target = await emptyDatabase(admin);
  const pieces = Readable.from([archive]) as AsyncIterable<Buffer>;
  const into = join(folder, 'restored');
  expect((await readArchive(pieces, { url: target.url, folders: { media: into }, replaces: false })).files).toBe(1);
  expect(readdirSync(into)).toHaveLength(1);
  await target.drop();
});

it('an archive leaves out changes and indexes of fingerprints and totals of words, which bear the numbers of another server’s transactions', async () => {
  await onDatabase(source.url, async (database) => {
    await database.query(`INSERT INTO fingerprint_change (tenant_id, row_id) VALUES (1, 1)`);
    await database.query(`INSERT INTO frame_change (tenant_id, row_id) VALUES (1, 1)`);
    await database.query(`INSERT INTO fingerprint_hash (row_id, tenant_id, pdq) VALUES (1, 1, 1::bit(256))`);
    await database.query(
      `INSERT INTO word_total (tenant_id, resource, words) SELECT id, 'image', 'vist' FROM tenant LIMIT 1`,
    );
  });
  const archive = await write({});
  expect(archive.includes('"image_fingerprint"')).toBe(true);
  expect(archive.includes('"fingerprint_change"')).toBe(false);
  expect(archive.includes('"frame_change"')).toBe(false);
  expect(archive.includes('"fingerprint_index"')).toBe(false);
  expect(archive.includes('"fingerprint_hash"')).toBe(false);
  expect(archive.includes('"word_total"')).toBe(false);
});

it('an archive of a large table has several files, each of whole rows, and gives them all again', full, async () => {
  const rows = `SELECT count(*)::int AS count, md5(string_agg(name, ',' ORDER BY name)) AS digest FROM embedding_model`;
  const wanted = await onDatabase(source.url, async (database) => {
    await database.query(
      `INSERT INTO embedding_model (name)
       SELECT E'one\\ntwo\\\\' || n || repeat(E'\\r\\n', n % 700) FROM generate_series(1, 20000) n`,
    );
    return (await database.query<{ count: number; digest: string }>(rows)).rows;
  });
  const archive = await write({});
  const files = (await entriesOf(archive)).filter(({ name }) => name.startsWith('tables/embedding_model/'));
  expect(files.length).toBeGreaterThan(2);
  for (const { content } of files) expect(content.at(-1)).toBe(0x0a);
  const target = await emptyDatabase(admin);
  const restored = await readArchive(Readable.from([archive]), { url: target.url, folders: {}, replaces: false });
  expect(restored.rows['embedding_model']).toBe(20_000);
  expect(await onDatabase(target.url, async (database) => (await database.query(rows)).rows)).toEqual(wanted);
  await target.drop();
});
