import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readEmbedded } from '../../src/analysis/analyzers/embedded.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { png } from '../support/hostile-pictures.ts';

const read = (file: string, lang = 'es') => readEmbedded(readFileSync(join(corpusFolder, 'metadata', file)), lang);

const agreed = {
  title: 'Picos de Europa',
  headline: 'Sendero hacia la cumbre',
  caption: 'Sendero de montaña bajo la nieve en los Picos de Europa',
  date: '2017-08-21',
  location: 'Fuente Dé',
  city: 'Potes',
  country: 'España',
  provider: 'Agencia Norte',
};
const keywords = ['montaña', 'excursión', 'otoño', 'señal', 'Cantabria'];
const event = 'Travesía de verano 2017';
const [inigo, both] = ['Íñigo Ruiz Peña', 'Íñigo Ruiz Peña, Ana María Gómez'];

describe.skipIf(noCorpus)('what a file says of itself', () => {
  it.each([
    ['m01-exif.jpg', { caption: agreed.caption, author: inigo, date: agreed.date }],
    ['m02-iptc.jpg', { ...agreed, author: inigo, keywords }],
    ['m03-xmp.jpg', { ...agreed, author: both, event, keywords: [...keywords, 'Nieve'] }],
    ['m04-all-agree.jpg', { ...agreed, author: both, event, keywords: [...keywords, 'Nieve'] }],
    [
      'm06-iptc-latin1.jpg',
      { headline: agreed.headline, city: 'Potes', keywords: ['Coruña', 'paseo marítimo', 'niñez'] },
    ],
    ['m07-gps-south.jpg', {}],
    ['m08-date-offset.jpg', { date: agreed.date }],
    ['m10-png-xmp.png', { title: agreed.title, caption: agreed.caption, keywords }],
    ['m11-webp-exif-xmp.webp', { author: inigo, date: agreed.date, keywords }],
    ['m12-tiff-iptc.tiff', { headline: agreed.headline, author: inigo, keywords }],
    ['m14-rights-ai.jpg', { aiGenerated: true, modelRelease: false, propertyRelease: true }],
    ['m15-iptc-cyrillic.jpg', { headline: 'Горная тропа под снегом', keywords: ['горы', 'снег', 'тропа'] }],
    ['m16-none.jpg', {}],
  ])('is read from every block and container, in its encoding: %s', (file, expected) => {
    expect(read(file)).toEqual(expected);
  });

  it('counts in the order XMP, IPTC, EXIF where they differ, and keywords count from all', () => {
    expect(read('m05-conflict.jpg')).toEqual({
      caption: 'Caption in XMP: dogs looking outside',
      date: '2013-05-06',
      author: 'Lucía Fernández',
      city: 'Fuente Dé',
      keywords: ['montaña', 'excursión', 'otoño', 'señal'],
    });
  });

  it('is given in the language of the record, else in the default one', () => {
    expect(read('m03-xmp.jpg', 'en')).toMatchObject({
      title: 'Peaks of Europe',
      caption: 'Mountain path below the snow in the Picos de Europa',
    });
    expect(read('m03-xmp.jpg', 'ru')).toMatchObject({ title: 'Picos de Europa', caption: 'Горная тропа под снегом' });
  });

  it('is cleaned: no blanks around keywords, no repeats in other capitals, joined ones apart', () => {
    expect(read('m09-keywords-dirty.jpg')).toEqual({
      keywords: ['montaña', 'excursión', 'OTOÑO', 'señal', 'Cantabria'],
    });
  });

  it('is no date where the camera had no clock', () => {
    expect(read('m13-bad-date.jpg')).not.toHaveProperty('date');
  });
});

/** What a picture with an XMP packet of such properties, and perhaps an EXIF description, says of itself. */
async function readXmp(properties: string, description?: string) {
  const names = ['dc http://purl.org/dc/elements/1.1/', 'photoshop http://ns.adobe.com/photoshop/1.0/'];
  names.push('ext http://iptc.org/std/Iptc4xmpExt/2008-02-29/', 'exif http://ns.adobe.com/exif/1.0/');
  const spaces = names.map((name) => `xmlns:${name.replace(' ', '="')}"`).join(' ');
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" ${spaces}>${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
    .jpeg()
    .withXmp(packet);
  if (description !== undefined) picture.withExif({ IFD0: { ImageDescription: description } });
  return readEmbedded(await picture.toBuffer(), 'es');
}

describe('what a file states in other ways', () => {
  it.each([
    ['1936', { date: '1936' }],
    ['1936-05', { date: '1936-05' }],
    ['1936-05-00', { date: '1936-05' }],
    ['1936-00-00', { date: '1936' }],
    ['1936-05-12T10:11:12-05:00', { date: '1936-05-12' }],
    ['1936-13', {}],
    ['1936-02-30', {}],
    ['0000-00-00', {}],
    ['May 1936', {}],
  ])('is a date as far as it is known: %s', async (date, expected) => {
    expect(await readXmp(`<photoshop:DateCreated>${date}</photoshop:DateCreated>`)).toEqual(expected);
  });

  const place = (tag: string, ...cities: string[]) =>
    `<ext:${tag}><rdf:Bag>${cities
      .map((city) => `<rdf:li rdf:parseType="Resource"><ext:City>${city}</ext:City></rdf:li>`)
      .join('')}</rdf:Bag></ext:${tag}>`;

  it('is the place that is shown, or else where the picture was made, where the older fields are empty', async () => {
    expect(await readXmp(place('LocationCreated', 'Oporto'))).toEqual({ city: 'Oporto' });
    expect(await readXmp(place('LocationCreated', 'Oporto') + place('LocationShown', 'Lyon'))).toEqual({
      city: 'Lyon',
    });
    const older = '<photoshop:City>Bilbao</photoshop:City>';
    expect(await readXmp(older + place('LocationShown', 'Lyon'))).toEqual({ city: 'Bilbao' });
  });

  it('is no place where several are shown', async () => {
    expect(await readXmp(place('LocationShown', 'Lyon', 'Nimes'))).toEqual({});
  });

  it.each(['OLYMPUS DIGITAL CAMERA         ', 'SONY DSC', 'DSC_0042', 'Exif_JPEG_PICTURE'])(
    'is no caption where a camera wrote it: %s',
    async (description) => {
      expect(await readXmp('', description)).toEqual({});
      expect(await readXmp('', `${description.trim()} y un tranvía`)).toHaveProperty('caption');
    },
  );
});

/** The header of a TIFF file, with texts in the tags that Windows Explorer writes: UTF-16, ended by zero. */
function tiffWith(texts: Readonly<Record<number, string>>): Buffer {
  const entries = Object.entries(texts).map(([tag, text]) => ({
    tag: Number(tag),
    bytes: Buffer.from(`${text}\0`, 'utf16le'),
  }));
  const directory = Buffer.alloc(2 + 12 * entries.length + 4);
  directory.writeUInt16LE(entries.length);
  let at = 8 + directory.length;
  for (const [k, { tag, bytes }] of entries.entries()) {
    directory.writeUInt16LE(tag, 2 + 12 * k);
    directory.writeUInt16LE(1, 4 + 12 * k);
    directory.writeUInt32LE(bytes.length, 6 + 12 * k);
    directory.writeUInt32LE(at, 10 + 12 * k);
    at += bytes.length;
  }
  const header = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  return Buffer.concat([header, directory, ...entries.map(({ bytes }) => bytes)]);
}

describe('the tags of Windows Explorer', () => {
  it('count where no other block has a value, with names and keywords apart', () => {
    const texts = { 0x9c9b: 'Título', 0x9c9c: 'Un comentario', 0x9c9d: 'Ana;Luis', 0x9c9e: 'uno;dos; Uno' };
    expect(readEmbedded(tiffWith(texts), 'es')).toEqual({
      title: 'Título',
      caption: 'Un comentario',
      author: 'Ana, Luis',
      keywords: ['uno', 'dos'],
    });
  });
});

describe('a file without readable metadata', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['bytes of no format', Buffer.from('not a picture at all')],
    ['a header only', Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0x45, 0x78, 0x69, 0x66, 0, 0])],
  ])('says nothing: %s', (_, bytes) => {
    expect(readEmbedded(bytes, 'en')).toEqual({});
  });
});

describe('a packet with more tags than any program writes', () => {
  it.each([
    ['inside each other', '<a xmlns:b="">'.repeat(5_000) + '</a>'.repeat(5_000)],
    ['beside each other', '<a/>'.repeat(200_000)],
    ['not closed', '<'.repeat(2 ** 20)],
  ])('%s is not read, in little time', async (_how, content) => {
    const description = `<rdf:Description rdf:about="" xmlns:p="http://ns.adobe.com/photoshop/1.0/" p:City="Vigo">`;
    const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      ${description}${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;
    const data = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), Buffer.from(packet)]);
    const bytes = png(10, 10, [['iTXt', data]]);
    const began = performance.now();
    expect(readEmbedded(bytes, 'en')).toEqual({});
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
