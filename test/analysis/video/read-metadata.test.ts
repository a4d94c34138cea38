import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementError } from '../../../src/lib/errors.ts';
import { createVideoReader } from '../../../src/analysis/index.ts';
import type { VideoReader } from '../../../src/analysis/index.ts';
import { makeClip } from '../../support/clips.ts';
import type { ClipFormat, ClipOptions } from '../../support/clips.ts';

let reader: VideoReader;
beforeAll(() => {
  reader = createVideoReader();
});
afterAll(() => reader.close());

async function metadataOf(bytes: Buffer, { isSeekable = true, lang = 'en' } = {}) {
  const source = {
    size: bytes.length,
    isSeekable,
    read: async (start: number, end: number) => bytes.subarray(start, end),
  };
  return (await reader.read(source, { lang })).metadata;
}

const clip = (tags: ClipOptions['tags'], format: ClipFormat = 'mp4') =>
  makeClip({ format, codec: format === 'webm' ? 'vp8' : 'avc', ...(tags && { tags }) });

/** A box of MP4: a length, a type and content. */
function box(type: string, content: Buffer): Buffer {
  return Buffer.concat([number(8 + content.length), Buffer.from(type, 'latin1'), content]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const packet = (properties: string) =>
  Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
      xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`);
const inLanguages = (tag: string, texts: Readonly<Record<string, string>>) => {
  const items = Object.entries(texts).map(([lang, text]) => `<rdf:li xml:lang="${lang}">${text}</rdf:li>`);
  return `<dc:${tag}><rdf:Alt>${items.join('')}</rdf:Alt></dc:${tag}>`;
};
const bag = (...items: string[]) =>
  `<dc:subject><rdf:Bag>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:Bag></dc:subject>`;
const xmpType = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const xmpBox = (content: Buffer) => box('uuid', Buffer.concat([xmpType, content]));

/** A clip with keys of QuickTime, as phones write them: in the index, which is the last box of the file. */
async function clipWithKeys(texts: Readonly<Record<string, string>>): Promise<Buffer> {
  const bytes = await clip(undefined, 'mov');
  const index = bytes.lastIndexOf('moov') - 4;
  const keys = Object.keys(texts).map((key) => box('mdta', Buffer.from(key)));
  const values = Object.values(texts).map((text, n) =>
    box(String.fromCodePoint(0, 0, 0, n + 1), box('data', Buffer.concat([number(1), number(0), Buffer.from(text)]))),
  );
  const meta = [
    box('keys', Buffer.concat([number(0), number(keys.length), ...keys])),
    box('ilst', Buffer.concat(values)),
  ];
  return Buffer.concat([
    bytes.subarray(0, index),
    box('moov', Buffer.concat([bytes.subarray(index + 8), box('meta', Buffer.concat(meta))])),
  ]);
}

describe('the metadata of a video', () => {
  it.each<ClipFormat>(['mp4', 'mp4 with its index behind', 'mov', 'mkv', 'webm'])(
    'is read from the tags of %s',
    async (format) => {
      const tags = {
        title: 'The bridge',
        description: 'A bridge in the evening',
        artist: 'Ana Ruiz',
        date: new Date('2021-07-04T00:00:00Z'),
      };
      const { title, ...others } = await metadataOf(await clip(tags, format));
      expect(title).toBe('The bridge');
      expect(others).toEqual({ description: 'A bridge in the evening', author: 'Ana Ruiz', date: '2021-07-04' });
    },
  );

  it('has the day in the time zone of the camera, and keywords without duplicates', async () => {
    const texts = { day: '2022-05-06T23:30:00-0500', keywords: 'river, Bridge;bridge', author: 'Luis' };
    const expected = { author: 'Luis', date: '2022-05-06', keywords: ['river', 'Bridge'] };
    const raw = { '©day': texts.day, '©key': texts.keywords, '©aut': texts.author };
    expect(await metadataOf(await clip({ raw }, 'mov'))).toEqual(expected);
    const keys = { creationdate: texts.day, keywords: texts.keywords, author: texts.author };
    const named = Object.fromEntries(Object.entries(keys).map(([key, text]) => [`com.apple.quicktime.${key}`, text]));
    expect(await metadataOf(await clipWithKeys(named))).toEqual(expected);
  });

  it('is the XMP of an MP4 file first, in the language of the record, with keywords of both', async () => {
    const tags = { title: 'By tag', artist: 'Ana', raw: { keyw: 'tag' } };
    const texts = { 'x-default': 'Bridge', 'es-ES': 'Puente' };
    const properties = `${inLanguages('title', texts)}${inLanguages('description', { 'x-default': 'By XMP' })}${bag('xmp', 'Tag')}
      <photoshop:City>Bilbao</photoshop:City>`;
    const bytes = Buffer.concat([await clip(tags), box('free', Buffer.alloc(20)), xmpBox(packet(properties))]);
    const read = { author: 'Ana', city: 'Bilbao', description: 'By XMP', keywords: ['xmp', 'Tag'] };
    expect(await metadataOf(bytes, { lang: 'es' })).toEqual({ ...read, title: 'Puente' });
    expect(await metadataOf(bytes)).toEqual({ ...read, title: 'Bridge' });
    // Without random access, the end of the file is not read.
    expect(await metadataOf(bytes, { isSeekable: false })).toEqual({
      title: 'By tag',
      author: 'Ana',
      keywords: ['tag'],
    });
  });

  it('is not read from Matroska without random access, since its tags may be at the end', async () => {
    const bytes = await clip({ title: 'At the end' }, 'mkv');
    expect(await metadataOf(bytes)).toEqual({ title: 'At the end' });
    expect(await metadataOf(bytes, { isSeekable: false })).toEqual({});
  });

  it('costs no frames where its bytes cannot be read', async () => {
    const bytes = Buffer.concat([
      await clip({ title: 'By tag' }),
      box('free', Buffer.alloc(2 ** 20)),
      xmpBox(packet('')),
    ]);
    const read = async (start: number, end: number) => {
      if (end > bytes.length - 1_000) throw new ElementError('too_large', 'too many bytes');
      return bytes.subarray(start, end);
    };
    const { stills, fault } = await reader.read({ size: bytes.length, isSeekable: true, read });
    expect([stills.length, fault]).toEqual([5, null]);
  });

  it.each<[string, Buffer]>([
    ['a packet that is not XML', xmpBox(Buffer.from('<x:xmpmeta><rdf'))],
    ['a packet of thousands of nested tags', xmpBox(packet('<a>'.repeat(50_000)))],
    ['a box without length', Buffer.concat([Buffer.from([0, 0, 0, 3]), Buffer.from('uuid'), Buffer.alloc(40)])],
    ['a box that is cut off', xmpBox(packet(bag('lost'))).subarray(0, 60)],
  ])('is none with %s, and the video is read', async (_, end) => {
    expect(await metadataOf(Buffer.concat([await clip(undefined), end]))).toEqual({});
  });
});
