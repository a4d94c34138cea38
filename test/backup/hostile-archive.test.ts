import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkArchive, readArchive, writeArchive } from '../../src/backup/index.ts';
import { SetupError } from '../../src/lib/errors.ts';
import { cloneDatabase, emptyDatabase } from '../support/database.ts';
import { archiveOf, entriesOf, tarOf, textEntry } from './entries.ts';
import type { RawEntry } from './entries.ts';
import { full } from '../support/effort.ts';

const admin = inject('postgresUrl');
const key = 'a key that signs archives';
let folder: string;
let archive: Buffer;
let digest: string;
let entries: readonly RawEntry[];

const piecesOf = (bytes: Buffer) => Readable.from([bytes]) as AsyncIterable<Buffer>;
const check = (bytes: Buffer, trust: Partial<{ key: string | null; digest: string | null }> = {}) =>
  checkArchive(piecesOf(bytes), { key, digest: null, ...trust });

/** An archive, signed with the right key, that also holds an entry, before its end. */
const withEntry = (entry: RawEntry) => archiveOf([...entries.slice(0, -3), entry, ...entries.slice(-3)], key);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-hostile-'));
  mkdirSync(join(folder, 'data'));
  mkdirSync(join(folder, 'media'));
  writeFileSync(join(folder, 'data', 'admin-key'), 'vt_secret\n');
  writeFileSync(join(folder, 'media', 'one.txt'), 'one');
  const source = await cloneDatabase(admin);
  const pieces: Buffer[] = [];
  const folders = { data: join(folder, 'data'), media: join(folder, 'media') };
  for await (const piece of writeArchive({ url: source.url, folders, key, onDigest: (made) => (digest = made) })) {
    pieces.push(piece);
  }
  archive = Buffer.concat(pieces);
  entries = await entriesOf(archive);
  await source.drop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an archive is taken', () => {
  it('when the key here signed it, or when somebody vouches for its digest', async () => {
    expect(await check(archive)).toBe(digest);
    expect(await check(archive, { key: null, digest })).toBe(digest);
    expect(await check(archive, { key: 'another', digest: digest.toUpperCase() })).toBe(digest);
  });

  it('not when another key or none signed it; the refusal names the digest and what to do', async () => {
    const unsigned = await archiveOf(entries);
    for (const refused of [check(archive, { key: 'another key' }), check(archive, { key: null }), check(unsigned)]) {
      await expect(refused).rejects.toThrow(
        new RegExp(`Its digest is ${digest}\\..*--trust ${digest}, or set BACKUP_KEY`, 's'),
      );
    }
    await expect(check(archive, { digest: 'a'.repeat(64) })).rejects.toThrow(`The digest of this archive is ${digest}`);
  });
});

describe('an archive is refused, though its signature is right, that holds', () => {
  const foreign = [
    ...['data/postgres/postgresql.auto.conf', 'data/postgres.json', 'data/server.pid', 'data/backup-key', 'data/x'],
    ...['data/admin-key/x', 'data/../admin-key', 'DATA/admin-key', '/etc/passwd', 'etc/passwd', '../x', '', '.', '..'],
    ...[
      'media/../data/postgres/postgresql.auto.conf',
      'media/a/../../x',
      'media//x',
      'media/',
      'media/.ssh/authorized_keys',
    ],
    ...[
      'media/./x',
      'media/a/.',
      'media/a/..',
      'media1234/x',
      'mediax/x',
      'constructor/x',
      '__proto__/x',
      'toString/x',
    ],
    ...['hasOwnProperty', 'valueOf/y', 'constructor/prototype', 'tables/constructor', 'tables/../x/000001.copy'],
    ...[
      'tables/tenant/1.copy',
      'tables/"x"/000001.copy',
      'tables/pg_catalog.pg_class/000001.copy',
      'C:/x',
      'x'.repeat(5000),
    ],
  ];
  it.each(foreign)('the entry %j', async (name) => {
    const refused = check(await withEntry(textEntry(name, 'x')));
    await expect(refused).rejects.toThrow(SetupError);
    await expect(refused).rejects.toThrow(/^[^\n]{1,300}$/);
  });

  it.each(['tables/constructor/000001.copy', 'tables/__proto__/000001.copy', 'tables/pg_authid/000001.copy'])(
    'the unknown table %s',
    async (name) => {
      const [first, ...others] = entries;
      await expect(check(await archiveOf([first as RawEntry, textEntry(name, ''), ...others], key))).rejects.toThrow(
        /does not belong in a backup|not in its manifest/,
      );
    },
  );

  it.each(['link', 'symlink', 'character-device', 'block-device', 'fifo', 'directory'] as const)(
    'a %s',
    async (type) => {
      const entry = { name: 'media/x', content: Buffer.alloc(0), head: { type, linkname: '/etc/passwd' } };
      const refused = check(await withEntry(entry));
      await expect(refused).rejects.toThrow('"media/x", which is not a regular file');
    },
  );

  it('a file twice, files in another order, two ends, or none', async () => {
    const [manifest, ...others] = entries as [RawEntry, ...RawEntry[]];
    for (const changed of [
      [manifest, manifest, ...others],
      [...others, manifest],
      [manifest, ...others.slice(0, -3).toReversed(), ...others.slice(-3)],
      [manifest, ...others.slice(0, -3), others.at(-4) as RawEntry, ...others.slice(-3)],
      [manifest, ...others.slice(0, -2), others.at(-3) as RawEntry],
      [manifest, ...others.slice(0, -3)],
    ]) {
      await expect(check(await archiveOf(changed, key))).rejects.toThrow(/damaged|cut off|no archive/);
    }
  });

  it('a manifest, an end or a signature that is too large, no JSON, or of another shape', async () => {
    const huge = Buffer.alloc(17 * 2 ** 20, ' ');
    for (const name of ['manifest.json', 'end.json']) {
      for (const content of [
        huge,
        Buffer.from('{'),
        Buffer.from('[]'),
        Buffer.from('{"__proto__":1}'),
        Buffer.alloc(9),
      ]) {
        const changed = entries.map((entry) => (entry.name === name ? { name, content } : entry));
        await expect(check(await archiveOf(changed, key))).rejects.toThrow(SetupError);
      }
    }
    for (const text of ['{}', '{"hmac":"x"}', '{"hmac":1}', 'x'.repeat(5000)]) {
      await expect(check(await tarOf([...entries.slice(0, -1), textEntry('signature.json', text)]))).rejects.toThrow(
        'damaged',
      );
    }
  });

  it('a head that promises more than there is, in bytes or in names', async () => {
    const plain = await tarOf([textEntry('manifest.json', '')]);
    for (const [at, bytes] of [
      [124, Buffer.from('77777777777\0')],
      [124, Buffer.from([0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
      [124, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0])],
      [124, Buffer.from('not a number')],
      [156, Buffer.from('S')],
      [124, Buffer.from('77777777777\0                    L')],
    ] as const) {
      const changed = Buffer.from(plain);
      bytes.copy(changed, at);
      changed.write('        ', 148);
      const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
      changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
      await expect(check(Buffer.concat([changed, archive]))).rejects.toThrow(SetupError);
    }
  });
});

describe('an altered archive', () => {
  it('is refused in one sentence, wherever it is cut', async () => {
    for (let end = 0; end < archive.length - 1024; end += 257) {
      await expect(check(archive.subarray(0, end)), String(end)).rejects.toThrow(SetupError);
    }
  });

  it('is refused in one sentence, whatever bytes are changed, moved, left out or put in', full, async () => {
    // What lies behind a file's content up to the next block counts for nothing; so does when and as whom it was packed.
    const at = fc.nat({ max: archive.length - 1025 });
    const mutation = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 16 }) }),
      fc.record({ kind: fc.constant('cut' as const), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 2000 }) }),
      fc.record({ kind: fc.constant('put' as const), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 2000 }) }),
      fc.record({ kind: fc.constant('copy' as const), at, bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const changed = mutations.reduce((bytes, { kind, at: place, bytes: given }) => {
          const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
          if (kind === 'set') return Buffer.concat([head, given, tail.subarray(given.length)]);
          if (kind === 'cut') return Buffer.concat([head, tail.subarray(given.length)]);
          if (kind === 'put') return Buffer.concat([head, given, tail]);
          return Buffer.concat([head, tail.subarray(0, 512), tail]);
        }, archive);
        const outcome = await check(changed).catch((error: unknown) => error);
        if (typeof outcome === 'string') expect(outcome).toBe(digest);
        else expect(outcome).toBeInstanceOf(SetupError);
      }),
      { numRuns: 1500 },
    );
  });

  it('is refused when a file in it has another content, though its length is the same', async () => {
    const changed = entries.map((entry) => (entry.name === 'media/one.txt' ? textEntry(entry.name, 'two') : entry));
    await expect(check(await tarOf(changed))).rejects.toThrow('its files do not match its list');
  });
});

describe('restoring files', () => {
  const restore = async (bytes: Buffer, options: { folders: Record<string, string>; except?: string[] }) => {
    const target = await emptyDatabase(admin);
    try {
      return await readArchive(piecesOf(bytes), { url: target.url, replaces: false, ...options });
    } finally {
      await target.drop();
    }
  };

  it('follows no link that lies in the folder, neither as a file nor as a folder', full, async () => {
    const media = join(folder, 'linked');
    const outside = join(folder, 'outside');
    mkdirSync(media);
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'kept');
    symlinkSync(join(outside, 'secret'), join(media, 'one.txt'));
    await restore(archive, { folders: { media } });
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('kept');
    expect(readFileSync(join(media, 'one.txt'), 'utf8')).toBe('one');
    symlinkSync(outside, join(media, 'away'));
    const through = await withEntry(textEntry('media/away/new/two.txt', 'two'));
    await expect(restore(through, { folders: { media } })).rejects.toThrow('a file outside its folder');
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it('writes nothing of media into DATA_DIR, though that lies among the media', async () => {
    const media = join(folder, 'around');
    const data = join(media, 'data');
    const hostile = await withEntry(textEntry('media/data/postgres/postgresql.auto.conf', "archive_command = 'x'"));
    const restored = restore(hostile, { folders: { media, data }, except: [media, data] });
    await expect(restored).rejects.toThrow('a file outside its folder');
    expect(existsSync(join(data, 'postgres'))).toBe(false);
  });
});
