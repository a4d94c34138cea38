import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openImport } from '../../../src/cli/import/sources.ts';
import { chooseLanguage, refuseUnknown } from '../../../src/cli/import/survey.ts';
import { languageOf, surveyImport } from '../../../src/tables/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import '));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(name: string, content: string | Buffer) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const { notes, read: entries } = await openImport([path], []);
  const all = [];
  for await (const entry of entries()) all.push(entry);
  return { notes, all };
}

const records = (all: Awaited<ReturnType<typeof read>>['all']) =>
  all.map((entry) => ('record' in entry ? entry.record : entry.fault));

describe('a CSV file to import', () => {
  it.each([
    { sign: ',', notes: [] },
    { sign: ';', notes: ['separated by semicolons'] },
    { sign: '\t', notes: ['separated by tabs'] },
  ])('may be separated by $sign', async ({ sign, notes }) => {
    const { notes: said, all } = await read(
      'list.csv',
      `id${sign}src_path${sign}title\na${sign}a.jpg${sign}"x, y; z"\n`,
    );
    expect(said).toEqual(notes);
    expect(records(all)).toEqual([{ id: 'a', src_path: 'a.jpg', title: 'x, y; z' }]);
  });

  it('has lists with the separator that its column uses: | before ; before ,', async () => {
    const content = 'id,keywords,categories,collections\na,"one, two|three","x, y",p; q\nb,"four, five",,r\n';
    const { all } = await read('list.csv', content);
    expect(records(all)).toEqual([
      { id: 'a', keywords: ['one, two', 'three'], categories: ['x', 'y'], collections: ['p', 'q'] },
      { id: 'b', keywords: ['four, five'], collections: ['r'] },
    ]);
  });

  it.each([
    { how: 'UTF-8 with a byte order mark', bytes: Buffer.from('\uFEFFid,title\na,Río\n'), notes: [] },
    { how: 'Latin-1', bytes: Buffer.from('id,title\na,Río\n', 'latin1'), notes: ['read as Latin-1'] },
    { how: 'UTF-16', bytes: Buffer.from('\uFEFFid,title\na,Río\n', 'utf16le'), notes: ['read as UTF-16LE'] },
  ])('is read when it is written in $how', async ({ bytes, notes }) => {
    const { notes: said, all } = await read('list.csv', bytes);
    expect([said, records(all)]).toEqual([notes, [{ id: 'a', title: 'Río' }]]);
  });

  it('loses only the rows that are broken, and keeps a quote that stands in a text', async () => {
    const { all } = await read('list.csv', 'id,title\na,5" disc\nb,x,too many\nc\nd,"open\ne,y\n');
    expect(all).toEqual([
      { place: 'row 2', record: { id: 'a', title: '5" disc' } },
      { place: 'row 3', fault: '3 cells, but the header has 2' },
      { place: 'row 4', record: { id: 'c' } },
      { place: 'row 5', fault: 'a quote opens here and never closes: the rest was ignored' },
    ]);
  });

  it('must name its columns', async () => {
    await expect(read('list.csv', '\n')).rejects.toThrow('The first line must contain the column names');
  });
});

describe('a file of lines to import', () => {
  it('loses only the lines that are broken', async () => {
    const { all } = await read('list.ndjson', '\uFEFF{"id":"a"}\r\n\n{"id":\n[1]\n{"id":"b\u2028c"}');
    expect(all).toEqual([
      { place: 'line 1', record: { id: 'a' }, characters: 10 },
      { place: 'line 3', fault: expect.stringMatching(/^not JSON: /) },
      { place: 'line 4', fault: expect.stringMatching(/^not a record/) },
      { place: 'line 5', record: { id: 'b\u2028c' }, characters: 12 },
    ]);
  });

  it('is Latin-1 only where that fits better: one broken character among good ones stays one', async () => {
    const good = Buffer.from('{"id":"a","title":"Río, Málaga"}\n');
    const broken = Buffer.concat([good, Buffer.from('{"id":"b","title":"R\xedo"}\n', 'latin1')]);
    expect(records((await read('list.ndjson', broken)).all)).toEqual([
      { id: 'a', title: 'Río, Málaga' },
      { id: 'b', title: 'R\uFFFDo' },
    ]);
  });
});

describe('a JSON file to import', () => {
  it('must hold an array, and says what one looks like', async () => {
    await expect(read('one.json', '{"id":"a"}')).rejects.toThrow('must contain an array of records: [{"id"');
    await expect(read('cut.json', '[{"id":')).rejects.toThrow(/is not JSON: .*\n.*needs the extension \.ndjson/);
  });
});

async function survey(rows: readonly unknown[]) {
  const path = join(folder, 'list.json');
  writeFileSync(path, JSON.stringify(rows));
  return surveyImport((await openImport([path], [])).read());
}

describe('a survey of an import', () => {
  it('counts records and names unknown fields, with what was probably meant', async () => {
    const found = await survey([{ id: 'a', titel: 'x', photographer: 'y' }, { id: 'b', titel: 'z' }, 7]);
    expect(found.total).toBe(3);
    expect(() => refuseUnknown('list.json', found)).toThrow(
      /list\.json has 2 fields that Vitrine does not know:\n {2}titel {2}\(record 1 and 1 more\) {2}Did you mean title\?\n {2}photographer {2}\(record 1\) {2}Did you mean author\?\n.*--ignore-unknown.*\nKnown fields: id, src/,
    );
  });

  it('knows the fields of a video by the name of its file', async () => {
    const found = await survey([
      { id: 'v', src_path: 'v.mp4', description: 'x' },
      { id: 'i', src_path: 'i.jpg', description: 'x' },
    ]);
    expect([...found.unknown]).toEqual([['description', { count: 1, place: 'record 2' }]]);
  });

  it.each([
    ['en', 'Boats lie on a river in Nagasaki, with houses on the bank behind them.'],
    ['es', 'Las barcas están en el río de la ciudad, con casas al fondo.'],
    ['pt', 'Os barcos estão no rio da cidade, com casas ao fundo e não muito longe.'],
    ['fr', 'Les bateaux sont sur la rivière dans la ville, avec des maisons au fond.'],
    ['ru', 'Лодки на реке в городе, а за ними дома.'],
  ])('recognizes texts in %s', async (lang, title) => {
    expect(chooseLanguage(undefined, await survey([{ id: 'a', title }]))).toBe(lang);
  });

  it('takes the language that is asked for, and none where there is no text', async () => {
    expect(chooseLanguage('fr', await survey([{ id: 'a', title: 'The boats in the river' }]))).toBe('fr');
    expect(chooseLanguage(undefined, await survey([{ id: 'a', src_path: 'the boats.jpg' }]))).toBeNull();
  });

  it('asks for the language where the texts are few or mixed', async () => {
    const few = await survey([{ id: 'a', title: 'Sunset beach' }]);
    expect(() => chooseLanguage(undefined, few)).toThrow(/--lang \w\w, .*\. They have too few words/);
    const mixed = await survey([
      { id: 'a', title: 'The boats on the river with the houses' },
      { id: 'b', title: 'Las barcas en el río con las casas del puerto' },
    ]);
    expect(() => chooseLanguage(undefined, mixed)).toThrow(
      /--lang each .*They look like \w+ \(\d+ %\) and \w+ \(\d+ %\)/,
    );
    const langOf = languageOf(chooseLanguage('each', mixed), mixed);
    expect([langOf({ title: 'A boat on the river' }), langOf({ title: 'Una barca en el río' })]).toEqual(['en', 'es']);
  });

  it('reads a folder below a media root, with no texts', async () => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'a.jpg'), '');
    const found = await surveyImport((await openImport([join(folder, 'sub')], [folder])).read());
    expect([found.total, chooseLanguage(undefined, found)]).toEqual([1, null]);
  });
});

describe('several paths to import', () => {
  const file = (place: string) => {
    const path = join(folder, place);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    return path;
  };
  const idsOf = async (paths: readonly string[], prefix = '') => {
    const ids = [];
    for await (const entry of (await openImport(paths, [folder], prefix)).read())
      ids.push('record' in entry ? [entry.record['id'], entry.record['src_path']] : entry.fault);
    return ids;
  };

  it('may be pictures, as a shell names them, and folders; each id is what its path has below the named folder', async () => {
    const paths = ['trip/a.jpg', 'trip/b.mp4'].map(file);
    file('other/day/c.png');
    expect(await idsOf([...paths, join(folder, 'other'), ...paths], 'x:')).toEqual([
      ['x:a.jpg', 'trip/a.jpg'],
      ['x:b.mp4', 'trip/b.mp4'],
      ['x:day:c.png', 'other/day/c.png'],
    ]);
  });

  it('are refused if two files would have one id, or one holds records', async () => {
    const paths = [file('one/a.jpg'), file('two/a.jpg')];
    await expect(idsOf(paths)).rejects.toThrow(`${paths[0]} and ${paths[1]} would have the same id, a.jpg.`);
    const table = file('list.csv');
    await expect(idsOf([...paths, table])).rejects.toThrow(
      `Import a file of records by itself: vitrine import ${table}`,
    );
  });
});
