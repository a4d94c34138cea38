import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openImport } from '../../../src/cli/import/sources.ts';
import { takeoutSidecarOf } from '../../../src/cli/import/sidecars/takeout.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sidecars '));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files below the folder; pictures are not read here, so theirs may be empty. */
async function importOf(files: Readonly<Record<string, string>>) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const { read } = await openImport([folder], [folder]);
  const found: Record<string, unknown> = {};
  for await (const entry of read()) {
    if ('fault' in entry) found[entry.place] = entry.fault;
    else {
      const { id: _id, src_path: _path, ...stated } = entry.record;
      found[entry.place] = stated;
    }
  }
  return found;
}

/** A packet as darktable, digiKam and Lightroom write them beside files, with elements of the IPTC standard. */
const xmp = (properties: string) => `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
  xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
  xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;
const alt = (text: string) => `<rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>`;
const bag = (...texts: string[]) => `<rdf:Bag>${texts.map((text) => `<rdf:li>${text}</rdf:li>`).join('')}</rdf:Bag>`;

describe('a sidecar in XMP', () => {
  it('states the fields of the picture that it stands beside', async () => {
    const content = xmp(`<dc:title>${alt('Harbor')}</dc:title><dc:description>${alt('Boats at dawn.')}</dc:description>
      <dc:creator><rdf:Seq><rdf:li>A. Ueno</rdf:li></rdf:Seq></dc:creator><dc:subject>${bag('boats', 'sea')}</dc:subject>
      <lr:hierarchicalSubject>${bag('places|Japan')}</lr:hierarchicalSubject>
      <photoshop:City>Nagasaki</photoshop:City><photoshop:Country>Japan</photoshop:Country>
      <photoshop:DateCreated>1865-04-02T05:00:00+09:00</photoshop:DateCreated>
      <photoshop:SupplementalCategories>${bag('travel')}</photoshop:SupplementalCategories>
      <Iptc4xmpCore:AltTextAccessibility>${alt('Five boats')}</Iptc4xmpCore:AltTextAccessibility>`);
    const harbor = {
      title: 'Harbor',
      caption: 'Boats at dawn.',
      author: 'A. Ueno',
      keywords: ['boats', 'sea', 'Japan'],
      categories: ['travel'],
      city: 'Nagasaki',
      country: 'Japan',
      date: '1865-04-02',
      alt_text: 'Five boats',
    };
    expect(await importOf({ 'a.jpg': '', 'a.jpg.xmp': content, 'b.jpg': '' })).toEqual({
      'a.jpg': harbor,
      'b.jpg': {},
    });
  });

  it('is found by the whole name, else by the name without its ending, however that is written', async () => {
    const titled = (title: string) => xmp(`<dc:title>${alt(title)}</dc:title>`);
    const files = {
      'A.JPG': '',
      'a.xmp': titled('short'),
      'b.jpg': '',
      'b.xmp': titled('short'),
      'B.JPG.XMP': titled('whole'),
    };
    expect(await importOf(files)).toEqual({ 'A.JPG': { title: 'short' }, 'b.jpg': { title: 'whole' } });
  });

  it('describes a video in its description', async () => {
    const content = xmp(`<dc:description>${alt('Waves.')}</dc:description>`);
    expect(await importOf({ 'a.mp4': '', 'a.mp4.xmp': content })).toEqual({ 'a.mp4': { description: 'Waves.' } });
  });

  it.each([
    ['is not XMP', 'hello'],
    ['is not XMP', ''],
    ['is larger than 1 MiB', xmp('x'.repeat(2 ** 20))],
  ])('that %s fails its picture alone and is named', async (reason, content) => {
    expect(await importOf({ 'a.jpg': '', 'a.jpg.xmp': content, 'b.jpg': '' })).toEqual({
      'a.jpg': `its sidecar a.jpg.xmp ${reason}; correct or remove it`,
      'b.jpg': {},
    });
  });
});

/** JSON as Google Takeout writes it. */
const takeout = (values: object) =>
  JSON.stringify({
    title: 'a.jpg',
    description: '',
    imageViews: '7',
    creationTime: { timestamp: '1700000000', formatted: '14 Nov 2023, 22:13:20 UTC' },
    photoTakenTime: { timestamp: '1656715200', formatted: '1 Jul 2022, 22:40:00 UTC' },
    geoData: { latitude: 0.0, longitude: 0.0, altitude: 0.0, latitudeSpan: 0.0, longitudeSpan: 0.0 },
    url: 'https://photos.google.com/photo/x',
    ...values,
  });

describe('a sidecar of Google Takeout', () => {
  it('states the description, the day where it was taken, and who is in it', async () => {
    const values = { description: 'At the harbor\n', people: [{ name: 'Ana' }, { name: 'Ana' }, {}] };
    const japan = { geoData: { latitude: 32.7, longitude: 129.8 } };
    expect(
      await importOf({
        'a.jpg': '',
        'a.jpg.json': takeout(values),
        'b.jpg': '',
        'b.jpg.supplemental-metadata.json': takeout(japan),
        'c.mp4': '',
        'c.mp4.json': takeout(values),
      }),
    ).toEqual({
      'a.jpg': { caption: 'At the harbor', date: '2022-07-01', keywords: ['Ana'] },
      'b.jpg': { date: '2022-07-02' },
      'c.mp4': { description: 'At the harbor', date: '2022-07-01', keywords: ['Ana'] },
    });
  });

  it('leaves what XMP states, and says of its folder which album it is', async () => {
    const title = xmp(`<dc:description>${alt('By hand')}</dc:description>`);
    expect(
      await importOf({
        'Trip/a.jpg': '',
        'Trip/a.jpg.json': takeout({ description: 'By Google' }),
        'Trip/a.jpg.xmp': title,
        'Trip/metadata.json': JSON.stringify({ title: 'Trip to Nagasaki', access: 'protected', date: {} }),
        'Other/b.jpg': '',
        'Other/metadata.json': JSON.stringify({ title: 'of another program' }),
      }),
    ).toEqual({
      'Trip/a.jpg': { caption: 'By hand', date: '2022-07-01', collections: ['Trip to Nagasaki'] },
      'Other/b.jpg': {},
    });
  });

  it('is no JSON of another program, and fails its picture where it is broken', async () => {
    const files = { 'a.jpg': '', 'a.jpg.json': '{"exposure": 1}', 'b.jpg': '', 'b.jpg.json': '{' };
    expect(await importOf(files)).toEqual({
      'a.jpg': {},
      'b.jpg': 'its sidecar b.jpg.json is not JSON; correct or remove it',
    });
  });

  const long = 'a-name-of-more-than-forty-six-characters-in-all-of-it';
  it.each([
    ['a.jpg', 'a.jpg.json'],
    ['a.jpg', 'a.jpg.supplemental-metadata.json'],
    ['a-name-of-thirty-characters-ok.jpg', 'a-name-of-thirty-characters-ok.jpg.supplementa.json'],
    ['a(1).jpg', 'a.jpg(1).json'],
    ['a(1).jpg', 'a.jpg.supplemental-metadata(1).json'],
    ['a-edited.jpg', 'a.jpg.json'],
    ['a-edited(2).jpg', 'a.jpg(2).json'],
    [`${long.slice(0, 47)}.jpg`, `${long.slice(0, 46)}.json`],
  ])('of %s is %s', (file, sidecar) => {
    const others = ['b.jpg.json', 'aa.jpg.json', 'a.png.json', 'a.jpg(3).json', 'metadata.json', 'a.json'];
    expect(takeoutSidecarOf(file, [...others, sidecar])).toBe(sidecar);
    expect(takeoutSidecarOf(file, others)).toBeNull();
  });
});
