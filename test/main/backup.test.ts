import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, inject, it } from 'vitest';
import { command } from '../support/command.ts';
import { cloneDatabase, emptyDatabase } from '../support/database.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

const key = 'a-key-for-the-test-of-moving';

it('a catalog is backed up beside the running service, and restored elsewhere', full, async () => {
  const [home, media, other] = [newDataFolder(), newFolder({ name: 'vitrine media ' }), newFolder()];
  await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).toFile(join(media, 'one.png'));
  const environment = { ADMIN_API_KEY: key, MEDIA_ROOTS: media, AI_ANALYSIS: 'off', LOG_LEVEL: 'warn' };
  const here = { ...environment, DATA_DIR: home };
  const first = await start(here);
  const records = Array.from({ length: 20 }, (_, i) => ({ id: `r${i}`, src_path: 'one.png', title: `Title ${i}` }));
  expect(await createClient(first.url, key).write('POST', '/imgs', records)).toMatchObject({ num_good: 20 });
  const archive = join(newFolder(), 'all.tar.gz');
  const backup = run(['backup', archive, '--media', '--json'], here);
  expect(await backup.ended, backup.output()).toBe(0);
  const { digest, ...made } = JSON.parse(backup.results());
  expect(made).toEqual({ file: archive, bytes: statSync(archive).size, isSigned: true });
  expect(statSync(join(home, 'backup-key')).mode & 0o777).toBe(0o600);
  const early = run(['move', 'postgres://h/d'], here);
  expect(await early.ended).toBe(1);
  expect(early.output()).toContain('already uses');
  expect(await stop(first)).toBe(0);

  const elsewhere = { ...environment, DATA_DIR: other, MEDIA_ROOTS: join(other, 'media') };
  const foreign = run(['restore', archive, '--media'], elsewhere);
  expect(await foreign.ended).toBe(1);
  expect(foreign.output()).toContain(`--trust ${digest}`);
  expect(readdirSync(other)).toEqual([]);
  const restoring = run(['restore', archive, '--media', '--json', '--trust', digest], elsewhere);
  expect(await restoring.ended, restoring.output()).toBe(0);
  expect(JSON.parse(restoring.results()).rows).toMatchObject({ image: 20, tenant: 1 });
  expect(existsSync(join(other, 'media', 'one.png'))).toBe(true);
  const restored = await start(elsewhere);
  const there = createClient(restored.url, key);
  expect((await there.rest('GET', '/imgs/r7')).body).toMatchObject({ title: 'Title 7' });
  expect(await there.write('POST', '/imgs', [{ id: 'new', src_path: 'one.png' }])).toMatchObject({ num_good: 1 });
  expect(await stop(restored)).toBe(0);
});

it('a catalog is moved to an own PostgreSQL, once', full, async () => {
  const here = { DATA_DIR: newDataFolder(), ADMIN_API_KEY: key, AI_ANALYSIS: 'off', LOG_LEVEL: 'warn' };
  const [home, list] = [newFolder(), join(newFolder(), 'list.json')];
  const records = Array.from({ length: 20 }, (_, i) => ({ id: `r${i}`, src_path: 'one.png', title: `Title ${i}` }));
  await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).toFile(join(home, 'one.png'));
  writeFileSync(list, JSON.stringify(records));
  expect(await run(['import', list, '--lang', 'en'], { ...here, MEDIA_ROOTS: home }).ended).toBe(0);
  const own = await emptyDatabase(inject('postgresUrl'));
  const moving = run(['move', own.url], here);
  expect(await moving.ended, moving.output()).toBe(0);
  expect(moving.output()).toMatch(/image +20\n.*Next: set DATABASE_URL/s);
  const again = run(['move', own.url], here);
  expect(await again.ended).toBe(1);
  expect(again.output()).toContain('--replace');
  const moved = await start({ ...here, DATABASE_URL: own.url, DATABASE_MIGRATE: 'off' });
  expect((await createClient(moved.url, key).rest('GET', '/imgs?q=title&count=true')).body.count).toBe(20);
  expect(await stop(moved)).toBe(0);
  await own.drop();
});

it('every command explains that PostgreSQL is unavailable, or that the user may not connect', full, async () => {
  const home = newFolder();
  const away = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d', DATA_DIR: newFolder() };
  for (const args of [
    ['backup', join(home, 'a.tar')],
    ['migrate', '--grant', 'x'],
    ['move', away.DATABASE_URL],
  ]) {
    const refused = run(args, away);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(/^Cannot use PostgreSQL: .*ECONNREFUSED.*\nCheck host and port in DATABASE_URL/);
    expect(refused.output()).not.toMatch(/ {4}at |hunter2/);
  }
  expect(existsSync(join(home, 'a.tar'))).toBe(false);
});

it('no archive is restored while a process answers from the database, though none works on it', full, async () => {
  const own = await emptyDatabase(inject('postgresUrl'));
  const environment = { DATABASE_URL: own.url, DATA_DIR: newFolder(), ADMIN_API_KEY: key, BACKUP_KEY: key };
  const api = await start({ ...environment, ROLE: 'api' });
  const archive = join(newFolder(), 'all.tar');
  expect(await run(['backup', archive], environment).ended).toBe(0);
  const refused = run(['restore', archive, '--replace'], environment);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('The service is running on this database.');
  expect(await stop(api)).toBe(0);
  await own.drop();
});

it(
  'an archive that is not there, none, cut off or altered is refused in a sentence, and nothing is touched',
  full,
  async () => {
    const own = await emptyDatabase(inject('postgresUrl'));
    const source = { DATABASE_URL: own.url, DATA_DIR: newFolder(), BACKUP_KEY: key };
    expect(await run(['migrate'], source).ended).toBe(0);
    const home = newFolder();
    const packed = join(home, 'good.tar.gz');
    expect(await run(['backup', packed], source).ended).toBe(0);
    const tar = gunzipSync(readFileSync(packed));
    const altered = Buffer.from(tar);
    altered.write('1999', tar.indexOf('"madeAt": "') + 11);
    const files = {
      'text.tar': [Buffer.alloc(2000, 'x'), /^This is not an archive of "vitrine backup", or it is damaged\.\n$/],
      'note.txt': [Buffer.from('a few words'), /^This is not an archive/],
      'empty.tar': [Buffer.alloc(0), /^This is not an archive/],
      'cut.tar': [tar.subarray(0, tar.length / 2), /^The archive is cut off or damaged: a part of it is missing\.\n$/],
      'cut.tar.gz': [readFileSync(packed).subarray(0, 1500), /^The archive is cut off or damaged: /],
      'altered.tar': [altered, /^The archive is damaged or was altered: its files do not match its list\.\n$/],
      'nothing.tar': [null, /^File not found: .*nothing\.tar\.\n$/],
    } as const;
    for (const [name, [bytes, words]] of Object.entries(files)) {
      const file = join(home, name);
      if (bytes !== null) writeFileSync(file, bytes);
      const dataDir = join(home, 'data');
      const restoring = run(['restore', file], { DATA_DIR: dataDir, BACKUP_KEY: key });
      expect(await restoring.ended).toBe(1);
      expect(restoring.output()).toMatch(words);
      expect(existsSync(dataDir), name).toBe(false);
    }
    const folder = run(['restore', home], { DATA_DIR: newFolder() });
    expect(await folder.ended).toBe(1);
    expect(folder.output()).toContain('Not a file.');
    await own.drop();
  },
);

it('media of more folders than MEDIA_ROOTS names are refused before anything is changed', async () => {
  const own = await cloneDatabase(inject('postgresUrl'));
  const roots = [newFolder({ name: 'one' }), newFolder({ name: 'two' })];
  for (const root of roots) writeFileSync(join(root, 'a.txt'), 'x');
  const source = { DATABASE_URL: own.url, DATA_DIR: newFolder(), BACKUP_KEY: key, MEDIA_ROOTS: roots.join(':') };
  const file = join(newFolder(), 'all.tar');
  expect((await command(['backup', file, '--media'], source)).code).toBe(0);
  const target = { DATA_DIR: join(newFolder(), 'data'), BACKUP_KEY: key, MEDIA_ROOTS: newFolder({ name: 'only' }) };
  const { code, output } = await command(['restore', file, '--media'], target);
  expect(code).toBe(1);
  expect(output).toContain('The archive has files of 2 media folders (media, media2), and MEDIA_ROOTS names 1.\n');
  expect([existsSync(target.DATA_DIR), readdirSync(target.MEDIA_ROOTS)]).toEqual([false, []]);
  await own.drop();
});

it('no archive is written among the files that it takes along, for it would hold those before it', full, async () => {
  const [home, media] = [newFolder(), newFolder()];
  const environment = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d', DATA_DIR: home, MEDIA_ROOTS: media };
  const within = { ...environment, DATA_DIR: join(media, 'data') };
  for (const [where, ...args] of [
    [environment, join(home, 'backups', 'a.tar')],
    [environment, join(media, 'a.tar'), '--media'],
    [within, join(media, 'data', 'a.tar')],
  ] as const) {
    const refused = run(['backup', ...args], where);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(
      / is inside .*each archive would contain the earlier ones\.\nChoose a file elsewhere/,
    );
  }
  for (const where of [environment, within]) {
    const allowed = run(['backup', join(media, 'a.tar')], where);
    expect(await allowed.ended).toBe(1);
    expect(allowed.output()).toContain('ECONNREFUSED');
  }
});
