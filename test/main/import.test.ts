import { appendFileSync, copyFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { clipInto } from '../support/clips.ts';
import { corpusFolder, noCorpus, readCatalog } from '../support/corpus.ts';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

const examples = join(packageRoot, 'examples');
const pictures = join(examples, 'pictures');

type Summary = Readonly<{
  total: number;
  created: number;
  patched: number;
  skipped: number;
  failed: number;
  toAnalyze: number;
  analyzed: number;
  ignored: string[];
  operations: number[];
  hasService: boolean;
  failures: { id: string; place: string; code: string; message: string }[];
}>;

/** Where a command finds a database that is there already: one of its own would have to be started for each command. */
async function environmentWith(mediaRoots: string): Promise<Record<string, string>> {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  return { DATABASE_URL: url, DATA_DIR: newFolder(), MEDIA_ROOTS: mediaRoots };
}

async function importJson(args: readonly string[], environment: Record<string, string>): Promise<[number, Summary]> {
  const { code, results } = await command(['import', ...args, '--json'], environment);
  return [code, JSON.parse(results) as Summary];
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isSo() && Date.now() < deadline) await sleep(50);
  expect(isSo()).toBe(true);
}

describe('vitrine import', () => {
  it('stores records without a server; a second time it skips or patches what exists', async () => {
    const environment = await environmentWith(pictures);
    const catalog = join(examples, 'catalog.json');
    const first = await importJson([catalog], environment);
    const counts = { total: 6, created: 6, patched: 0, skipped: 0, failed: 0, toAnalyze: 6, analyzed: 0, lang: 'en' };
    expect(first).toEqual([0, expect.objectContaining(counts)]);
    const second = await importJson([catalog], environment);
    expect(second).toEqual([0, expect.objectContaining({ total: 6, created: 0, patched: 0, skipped: 6, failed: 0 })]);
    const third = await importJson([catalog, '--existing', 'patch'], environment);
    expect(third).toEqual([0, expect.objectContaining({ total: 6, created: 0, patched: 6, skipped: 0, failed: 0 })]);
  });

  it('ends with the fault of an operation that cannot be submitted while more records are read', full, async () => {
    const environment = await environmentWith(pictures);
    await command(['import', join(pictures, 'nagasaki-boats.jpg')], environment);
    const file = join(newFolder(), 'all.ndjson');
    await command(['export', '--format', 'analyzed', '--output', file], environment);
    const record = JSON.parse(readFileSync(file, 'utf8')) as object;
    // An operation stores at most 5,000 records of this format; a line that is too long takes a second to read.
    const lines = Array.from({ length: 5_000 }, (_, k) => JSON.stringify({ ...record, id: `copy ${k}` }));
    writeFileSync(file, `${lines.join('\n')}\n`);
    truncateSync(file, statSync(file).size + 400e6);
    appendFileSync(file, `\n${JSON.stringify({ ...record, id: 'last' })}`);
    const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
    await client.connect();
    await client.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no more operations'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON operation FOR EACH ROW WHEN (NEW.num_total = 5000)
        EXECUTE FUNCTION refuse()`);
    await client.end();
    const { code, output } = await command(['import', file, '--no-fetch'], environment);
    expect([code, output]).toEqual([1, expect.stringContaining('Unexpected error: no more operations')]);
  });

  it('brings another catalog with its originals by its API; a second time it skips what exists', full, async () => {
    const media = newFolder();
    const environment = await environmentWith(media);
    const file = { id: '8cbb43fe-4cdf-4991-8352-c461779cec02', type: 'image/jpeg', filename_download: 'boats.jpg' };
    const described = {
      title: 'Boats in the harbor',
      description: 'Many boats are in the harbor of the town.',
      tags: ['boats'],
    };
    const directus = createServer((request, response) => {
      const isFile = request.url?.startsWith('/assets/') === true;
      const list = JSON.stringify({ data: [{ ...file, ...described, filesize: null, location: null, folder: null }] });
      response.end(isFile ? readFileSync(join(pictures, 'nagasaki-boats.jpg')) : list);
    });
    await new Promise<void>((resolve) => directus.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void directus.close());
    const address = `http://127.0.0.1:${(directus.address() as AddressInfo).port}`;
    writeFileSync(join(media, 'key'), 'their key');
    const args = [address, '--from', 'directus', '--key-file', join(media, 'key'), '--into', join(media, 'directus')];
    expect(await importJson(args, environment)).toEqual([
      0,
      expect.objectContaining({ total: 1, created: 1, failed: 0 }),
    ]);
    expect(await importJson(args, environment)).toEqual([
      0,
      expect.objectContaining({ total: 1, skipped: 1, failed: 0 }),
    ]);
    const incomplete = run(['import', address, '--from', 'directus'], environment);
    expect(await incomplete.ended).not.toBe(0);
    expect(incomplete.output()).toContain('--from directus needs --key-file');
  });

  it('leaves out what other systems hide in a folder', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.Trashes'));
    for (const name of ['one.jpg', '.Trashes/old.jpg', '._one.jpg'])
      copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(folder, name));
    const [code, summary] = await importJson([folder], await environmentWith(folder));
    expect([code, summary.total, summary.created, summary.failed]).toEqual([0, 1, 1, 0]);
  });

  it(
    'reports files of another folder that have the id of a stored file, and stores them with a prefix',
    full,
    async () => {
      const media = newFolder();
      const environment = await environmentWith(media);
      const [first, second] = [join(media, 'card-1'), join(media, 'card-2')];
      for (const card of [first, second]) mkdirSync(card);
      copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(first, 'IMG_1.jpg'));
      copyFileSync(join(pictures, 'locomotion-house-cat.jpg'), join(second, 'IMG_1.jpg'));
      expect(await importJson([first], environment)).toEqual([0, expect.objectContaining({ created: 1 })]);
      expect(await importJson([first], environment)).toEqual([0, expect.objectContaining({ skipped: 1, failed: 0 })]);
      const [code, clash] = await importJson([second], environment);
      expect([code, clash.skipped, clash.failures]).toEqual([
        1,
        0,
        [
          {
            id: 'IMG_1.jpg',
            place: 'IMG_1.jpg',
            code: 'already_exists',
            message: 'the catalog has another file with this id: card-1/IMG_1.jpg. To store both, use --id-prefix',
          },
        ],
      ]);
      const third = await importJson([second, '--id-prefix', 'card-2:'], environment);
      expect(third).toEqual([0, expect.objectContaining({ created: 1, skipped: 0, failed: 0 })]);
    },
  );

  it('detects the language of descriptions that the files of a folder contain', full, async () => {
    const media = newFolder();
    const environment = await environmentWith(media);
    const description = 'The boats of the fishermen are in the harbor after the storm with their nets.';
    const exif = { IFD0: { ImageDescription: description } };
    await sharp(join(pictures, 'nagasaki-boats.jpg')).withExif(exif).toFile(join(media, 'boats.jpg'));
    copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(media, 'plain.jpg'));
    expect(await importJson([media], environment)).toEqual([0, expect.objectContaining({ created: 2, lang: 'en' })]);
  });

  it('leaves locked fields if asked to', full, async () => {
    const environment = { DATA_DIR: newDataFolder(), MEDIA_ROOTS: pictures, AI_ANALYSIS: 'off' };
    const list = join(newFolder(), 'list.ndjson');
    const write = (title: string, more: object = {}) =>
      writeFileSync(list, JSON.stringify({ id: 'a', src_path: 'nagasaki-boats.jpg', title, city: title, ...more }));
    write('first', { locked_fields: ['title'] });
    await importJson([list, '--lang', 'en'], environment);
    write('second');
    await importJson([list, '--existing', 'patch', '--respect-locks', '--lang', 'en'], environment);
    const server = await start({ ...environment, ADMIN_API_KEY: 'key-of-the-lock-test' });
    const client = createClient(server.url, 'key-of-the-lock-test');
    const { body } = await client.rest('GET', '/imgs/a?fields=title&fields=city&fields=locked_fields');
    expect(body).toEqual({ title: 'first', city: 'second', locked_fields: ['title'] });
  });

  it('stores a folder of pictures and a video beside a server, under ids that addresses can hold', full, async () => {
    const DATA_DIR = newDataFolder();
    const server = await start({
      DATA_DIR,
      MEDIA_ROOTS: examples,
      ADMIN_API_KEY: 'key-of-the-import-test',
      AI_ANALYSIS: 'off',
    });
    // The service that runs says where its media are.
    const [code, summary] = await importJson([examples], { DATA_DIR, MEDIA_ROOTS: newFolder() });
    expect([code, summary.created, summary.failed, summary.hasService]).toEqual([0, 7, 0, true]);
    const client = createClient(server.url, 'key-of-the-import-test');
    const { body } = await client.rest(
      'GET',
      '/imgs/pictures:nagasaki-boats.jpg?fields=src_path&fields=width&fields=height',
    );
    expect(body).toEqual({ src_path: 'pictures/nagasaki-boats.jpg', width: 720, height: 576 });
    const video = await client.rest('GET', '/vids/videos:nagasaki-pan.mp4?fields=src_path&fields=container');
    expect(video.body).toEqual({ src_path: 'videos/nagasaki-pan.mp4', container: 'mp4' });
    const following = run(['follow'], { DATA_DIR });
    expect([await following.ended, following.output()]).toEqual([0, 'No unfinished operations.\n']);
    const one = run(['follow', String(summary.operations[0])], { DATA_DIR });
    expect([await one.ended, one.output()]).toEqual([0, `Operation ${summary.operations[0]} ended: 6 of 6 done.\n`]);
    await stop(server);
  });

  it('reads CSV and NDJSON, names each record that fails, and ends with 1', full, async () => {
    const folder = newFolder();
    const environment = await environmentWith(pictures);
    const csv = join(folder, 'list.csv');
    writeFileSync(
      csv,
      '\uFEFFid,src_path,title,keywords,nsfw\n"a","nagasaki-boats.jpg","Río, ""largo""",boats | river,no\nb,none.jpg,,,\n',
    );
    const [code, summary] = await importJson([csv, '--lang', 'es'], environment);
    expect([code, summary.created, summary.failed]).toEqual([1, 1, 1]);
    expect(summary.failures).toEqual([
      { id: 'b', place: 'row 3', code: 'source_unreachable', message: 'src_path cannot be read: no such file' },
    ]);
    const lines = join(folder, 'list.ndjson');
    writeFileSync(
      lines,
      '{"id":"c","src_path":"nagasaki-boats.jpg"}\n\n{"id":"d","src_path":7}\n{"id":"a","src_path":"x.jpg"}\n{"id":\n',
    );
    const [lineCode, lineSummary] = await importJson([lines], environment);
    expect([lineCode, lineSummary.created, lineSummary.skipped, lineSummary.failed]).toEqual([1, 1, 1, 2]);
    expect(lineSummary.failures).toEqual([
      expect.objectContaining({ id: 'd', place: 'line 3', code: 'invalid_field' }),
      expect.objectContaining({ id: '', place: 'line 5', code: 'invalid_record' }),
    ]);
  });

  it('stores videos beside pictures, of a folder and of a list, known by the names of their files', full, async () => {
    const folder = newFolder({ name: 'media-' });
    const environment = await environmentWith(folder);
    copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(folder, 'boats.jpg'));
    await clipInto(folder, 'clip.webm');
    const both = await importJson([folder], environment);
    expect(both).toEqual([0, expect.objectContaining({ total: 2, created: 2, failed: 0 })]);
    const list = join(folder, 'list.csv');
    writeFileSync(list, 'id,src_path,description,keywords\nv,clip.webm,Bars,a|b\nclip.webm,clip.webm,Known,\n');
    const [code, summary] = await importJson([list, '--existing', 'patch', '--lang', 'en'], environment);
    expect([code, summary.created, summary.patched, summary.failures]).toEqual([0, 1, 1, []]);
    const [wrong, asImage] = await importJson(
      [list, '--resource', 'image', '--ignore-unknown', '--lang', 'en'],
      environment,
    );
    expect([wrong, asImage.failures.map(({ code: each }) => each)]).toEqual([
      1,
      ['unsupported_media', 'unsupported_media'],
    ]);
  });

  it('says what it cannot import', full, async () => {
    const environment = await environmentWith(newFolder());
    const refused = run(['import', pictures], environment);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('is not below a media root');
    const missing = run(['import', '/nowhere.json'], environment);
    expect(await missing.ended).toBe(1);
    expect(missing.output()).toContain('No such file or folder: /nowhere.json');
  });

  it(
    'refuses fields that it does not know before anything is stored, and leaves them out when asked to',
    full,
    async () => {
      const folder = newFolder();
      const environment = await environmentWith(pictures);
      const list = join(folder, 'list.csv');
      writeFileSync(list, 'id;src_path;autor\na;nagasaki-boats.jpg;Felice Beato\n');
      const refused = run(['import', list], environment);
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toContain('autor  (row 2)  Did you mean author?');
      const [code, summary] = await importJson([list, '--ignore-unknown'], environment);
      expect([code, summary.created, summary.ignored]).toEqual([0, 1, ['autor']]);
    },
  );

  it(
    'says how far it is without a terminal, and when interrupted what is stored, what is left and what to do',
    full,
    async () => {
      const folder = newFolder();
      const slow = createServer(() => {}); // Never answers.
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
      const { port } = slow.address() as AddressInfo;
      const list = join(folder, 'list.ndjson');
      const lines = [{ id: 'a', src: `http://127.0.0.1:${port}/a.jpg`, title: 'The boats in the river' }];
      writeFileSync(list, lines.map((line) => JSON.stringify(line)).join('\n'));
      const importing = run(['import', list], {
        DATA_DIR: newDataFolder(),
        MEDIA_ROOTS: pictures,
        SOURCE_ALLOW: '127.0.0.0/8',
      });
      await until(() => importing.output().includes('stored 0 of 1'));
      expect(importing.output()).toContain(`Importing 1 record of ${list}.\nLanguage of the texts: English, detected.`);
      importing.child.kill('SIGINT');
      expect(await importing.ended).toBe(130);
      expect(importing.output()).toContain('Stopping: waiting for the running write.\nStopped.\n0 of 1 record in ');
      expect(importing.output().replace(/operation \d+/, 'operation N')).toContain(
        '1 more wait in operation N for the service or the next import.\nRepeat the command to continue with the rest.',
      );
      expect(importing.output()).not.toContain('    at ');
      slow.closeAllConnections();
      slow.close();
    },
  );

  it('waits for the analysis when asked to, also of what an earlier import has left', full, async () => {
    const folder = newFolder({ name: 'media-' });
    const environment = await environmentWith(folder);
    copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(folder, 'boats.jpg'));
    const [, left] = await importJson([folder], environment);
    expect([left.toAnalyze, left.analyzed]).toEqual([1, 0]);
    const [code, summary] = await importJson([folder, '--wait'], environment);
    expect([code, summary.skipped, summary.toAnalyze, summary.analyzed]).toEqual([0, 1, 1, 1]);
  });

  it.skipIf(noCorpus)('stores all records of a real catalog', full, async () => {
    const environment = { DATA_DIR: newDataFolder(), MEDIA_ROOTS: corpusFolder };
    const [code, summary] = await importJson([join(corpusFolder, 'catalog.json'), '--lang', 'each'], environment);
    expect([code, summary.created, summary.failures]).toEqual([0, readCatalog().length, []]);
  });
});
