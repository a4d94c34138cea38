import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { clipInto } from '../support/clips.ts';
import { corpusFolder, noCorpus, readCatalog } from '../support/corpus.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';

const examples = join(packageRoot, 'examples');
const pictures = join(examples, 'pictures');

type Summary = Readonly<{
  total: number;
  created: number;
  patched: number;
  skipped: number;
  failed: number;
  failures: { id: string; place: string; code: string; message: string }[];
}>;

async function importJson(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<[number | null, Summary]> {
  const process = run(['import', ...args, '--json'], environment);
  const code = await process.ended;
  return [code, JSON.parse(process.output().replace(/^[^{]*/, '')) as Summary];
}

describe('vitrine import', () => {
  it('stores records without a server; a second time it skips or patches what exists', async () => {
    const environment = { DATA_DIR: newFolder(), MEDIA_ROOTS: pictures };
    const catalog = join(examples, 'catalog.json');
    const first = await importJson([catalog, '--lang', 'en'], environment);
    expect(first).toEqual([0, expect.objectContaining({ total: 6, created: 6, patched: 0, skipped: 0, failed: 0 })]);
    const second = await importJson([catalog], environment);
    expect(second).toEqual([0, expect.objectContaining({ total: 6, created: 0, patched: 0, skipped: 6, failed: 0 })]);
    const third = await importJson([catalog, '--existing', 'patch'], environment);
    expect(third).toEqual([0, expect.objectContaining({ total: 6, created: 0, patched: 6, skipped: 0, failed: 0 })]);
  });

  it('stores a folder of pictures and a video beside a server, under ids that addresses can hold', async () => {
    const DATA_DIR = newFolder();
    const server = await start({ DATA_DIR, MEDIA_ROOTS: examples, ADMIN_API_KEY: 'key-of-the-import-test' });
    const [code, summary] = await importJson([examples], { DATA_DIR, MEDIA_ROOTS: examples });
    expect([code, summary.created, summary.failed]).toEqual([0, 7, 0]);
    const client = createClient(server.url, 'key-of-the-import-test');
    const { body } = await client.rest(
      'GET',
      '/imgs/pictures:nagasaki-boats.jpg?fields=src_path&fields=width&fields=height',
    );
    expect(body).toEqual({ src_path: 'pictures/nagasaki-boats.jpg', width: 720, height: 576 });
    const video = await client.rest('GET', '/vids/videos:nagasaki-pan.mp4?fields=src_path&fields=container');
    expect(video.body).toEqual({ src_path: 'videos/nagasaki-pan.mp4', container: 'mp4' });
    await stop(server);
  });

  it('reads CSV and NDJSON, names each record that fails, and ends with 1', async () => {
    const folder = newFolder();
    const environment = { DATA_DIR: join(folder, 'data'), MEDIA_ROOTS: pictures };
    const csv = join(folder, 'list.csv');
    writeFileSync(
      csv,
      '\uFEFFid,src_path,title,keywords,nsfw\n"a","nagasaki-boats.jpg","Río, ""largo""",boats | river,no\nb,none.jpg,,,\n',
    );
    const [code, summary] = await importJson([csv], environment);
    expect([code, summary.created, summary.failed]).toEqual([1, 1, 1]);
    expect(summary.failures).toEqual([
      { id: 'b', place: 'row 3', code: 'source_unreachable', message: 'src_path cannot be read: no such file' },
    ]);
    const lines = join(folder, 'list.ndjson');
    writeFileSync(
      lines,
      '{"id":"c","src_path":"nagasaki-boats.jpg"}\n\n{"id":"d","src_path":7}\n{"id":"a","src_path":"x.jpg"}\n',
    );
    const [lineCode, lineSummary] = await importJson([lines], environment);
    expect([lineCode, lineSummary.created, lineSummary.skipped, lineSummary.failed]).toEqual([1, 1, 1, 1]);
    expect(lineSummary.failures[0]).toMatchObject({ id: 'd', place: 'line 3', code: 'invalid_field' });
  });

  it('stores videos beside pictures, of a folder and of a list, known by the names of their files', async () => {
    const folder = newFolder({ name: 'media-' });
    const environment = { DATA_DIR: newFolder(), MEDIA_ROOTS: folder };
    copyFileSync(join(pictures, 'nagasaki-boats.jpg'), join(folder, 'boats.jpg'));
    await clipInto(folder, 'clip.webm');
    const both = await importJson([folder], environment);
    expect(both).toEqual([0, expect.objectContaining({ total: 2, created: 2, failed: 0 })]);
    const list = join(folder, 'list.csv');
    writeFileSync(list, 'id,src_path,description,keywords\nv,clip.webm,Bars,a|b\nclip.webm,clip.webm,Known,\n');
    const [code, summary] = await importJson([list, '--existing', 'patch'], environment);
    expect([code, summary.created, summary.patched, summary.failures]).toEqual([0, 1, 1, []]);
    const [wrong, asImage] = await importJson([list, '--resource', 'image'], environment);
    expect([wrong, asImage.failures.map(({ code: each }) => each)]).toEqual([
      1,
      ['unsupported_media', 'unsupported_media'],
    ]);
  });

  it('says what it cannot import', async () => {
    const refused = run(['import', pictures], { DATA_DIR: newFolder(), MEDIA_ROOTS: newFolder() });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('is not below a media root');
    const missing = run(['import', '/nowhere.json'], { DATA_DIR: newFolder() });
    expect(await missing.ended).toBe(1);
    expect(missing.output()).toContain('There is no file or folder /nowhere.json.');
  });

  it.skipIf(noCorpus)('stores all records of a real catalog', async () => {
    const environment = { DATA_DIR: newFolder(), MEDIA_ROOTS: corpusFolder };
    const [code, summary] = await importJson([join(corpusFolder, 'catalog.json')], environment);
    expect([code, summary.created, summary.failures]).toEqual([0, readCatalog().length, []]);
  });
});
