import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEmbedded } from '../../src/vision/embedded.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';

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

describe('a file without readable metadata', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['bytes of no format', Buffer.from('not a picture at all')],
    ['a header only', Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0x45, 0x78, 0x69, 0x66, 0, 0])],
  ])('says nothing: %s', (_, bytes) => {
    expect(readEmbedded(bytes, 'en')).toEqual({});
  });
});
