import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import yauzl from 'yauzl';
import { describe, expect, it } from 'vitest';
import { ElementError } from '../../src/lib/errors.ts';
import { embedMetadata } from '../../src/exports/xmp/embed.ts';
import { openZipSink } from '../../src/exports/zip-sink.ts';
import { clipInto } from '../support/clips.ts';
import { newFolder } from '../support/program.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client({ role: 'editor' });
});

/** The files of an archive. */
async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await yauzl.fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    files.set(entry.fileName, Buffer.concat(parts));
  }
  return files;
}

async function exported(path: string, request: object) {
  const operation = await client.write('POST', path, { format: 'zip', ...request });
  const { body: file } = await client.rest('GET', `/exports/${operation.operation_id}`);
  const answer = await fetch(world.url + file.url);
  const files = await unzip(Buffer.from(await answer.arrayBuffer()));
  const lines = files.get('records.ndjson')?.toString().trim().split('\n') ?? [];
  return { operation, files, records: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const hasExifTool = (() => {
  try {
    return execFileSync('exiftool', ['-ver']).length > 0;
  } catch {
    return false;
  }
})();

/** What exiftool reads from a file. */
function tagsOf(name: string, bytes: Buffer): Record<string, unknown> {
  const path = join(newFolder({ name: 'tags-' }), name);
  writeFileSync(path, bytes);
  const [tags] = JSON.parse(execFileSync('exiftool', ['-j', '-G1', '-struct', path], { encoding: 'utf8' }));
  return tags;
}

const pixels = async (bytes: Buffer) => (await sharp(bytes).raw().toBuffer()).toString('base64');
const canvas = {
  create: { width: 37, height: 23, channels: 4, background: { r: 9, g: 120, b: 200, alpha: 0.5 } },
} as const;

const record = {
  title: 'Boats & <nets>',
  caption: 'A harbor at night\nin the rain',
  headline: 'Niños 日本',
  keywords: ['sea', 'Smith, John'],
  author: 'Ana Pérez',
  date: '1931-05-04',
  city: 'Vigo',
  country: 'Spain',
  location: 'Berbés',
  event: 'Fair',
  altText: 'Two boats',
  aiGenerated: true,
  lang: 'en',
};

const formats: readonly (readonly [name: string, make: () => Promise<Buffer>])[] = [
  ['a.jpg', () => sharp(canvas).jpeg().toBuffer()],
  ['b.png', () => sharp(canvas).png().toBuffer()],
  ['c.webp', () => sharp(canvas).webp().toBuffer()],
  ['d.webp', () => sharp(canvas).webp({ lossless: true }).toBuffer()],
  ['e.webp', () => sharp(canvas).flatten().webp().toBuffer()],
  ['f.tif', () => sharp(canvas).tiff().toBuffer()],
  [
    'g.jpg',
    () =>
      sharp(canvas)
        .jpeg({ progressive: true })
        .withExif({ IFD0: { Artist: 'Former' } })
        .toBuffer(),
  ],
];

describe('metadata in a file', () => {
  it.each(formats)('of %s is added without a change of its pixels', async (_name, make) => {
    const before = await make();
    const { parts, sidecar } = embedMetadata(before, record as never);
    const after = Buffer.concat(parts);
    expect(sidecar).toBeNull();
    expect(await pixels(after)).toBe(await pixels(before));
    expect((await sharp(after).metadata()).xmp?.toString()).toContain('Boats &amp; &lt;nets&gt;');
    // Once more changes nothing.
    expect(Buffer.concat(embedMetadata(after, record as never).parts).length - after.length).toBeLessThan(after.length);
  });

  it.skipIf(!hasExifTool)('is read back by exiftool (skipped where that is not installed)', full, async () => {
    for (const [name, make] of formats) {
      const tags = tagsOf(name, Buffer.concat(embedMetadata(await make(), record as never).parts));
      expect([name, tags['ExifTool:Error'], tags['ExifTool:Warning']]).toEqual([name, undefined, undefined]);
      expect(tags).toMatchObject({
        'XMP-dc:Title': 'Boats & <nets>',
        'XMP-dc:Description': 'A harbor at night\nin the rain',
        'XMP-dc:Subject': ['sea', 'Smith, John'],
        'XMP-dc:Creator': ['Ana Pérez'],
        'XMP-photoshop:Headline': 'Niños 日本',
        'XMP-photoshop:DateCreated': '1931:05:04',
        'XMP-photoshop:City': 'Vigo',
        'XMP-photoshop:Country': 'Spain',
        'XMP-iptcCore:Location': 'Berbés',
        'XMP-iptcCore:AltTextAccessibility': 'Two boats',
        'XMP-iptcExt:Event': 'Fair',
      });
      if (name === 'g.jpg') expect(tags['IFD0:Artist']).toBe('Former');
    }
  });

  it('leaves what the file has besides, and replaces what the record says', async () => {
    const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmp:Rating="4" photoshop:City="Paris">
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Former title</rdf:li></rdf:Alt></dc:title>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Somebody</rdf:li></rdf:Alt></dc:rights>
      </rdf:Description></rdf:RDF></x:xmpmeta>`;
    for (const make of [
      (s: Sharp) => s.jpeg(),
      (s: Sharp) => s.png(),
      (s: Sharp) => s.webp(),
      (s: Sharp) => s.tiff(),
    ]) {
      const before = await make(sharp(canvas).withXmp(packet)).toBuffer();
      const after = Buffer.concat(embedMetadata(before, record as never).parts);
      const xmp = (await sharp(after).metadata()).xmp?.toString() ?? '';
      expect(xmp).toContain('Rating="4"');
      expect(xmp).toContain('Somebody');
      expect(xmp).not.toContain('Former title');
      expect(xmp).not.toContain('Paris');
      expect(await pixels(after)).toBe(await pixels(before));
    }
  });

  it('goes beside a file that cannot hold it, or is broken', async () => {
    const gif = await sharp(canvas).gif().toBuffer();
    const broken = (await sharp(canvas).jpeg().toBuffer()).subarray(0, 40);
    const cut = (await sharp(canvas).png().toBuffer()).subarray(0, 60);
    for (const bytes of [
      gif,
      broken,
      cut,
      Buffer.from('RIFFxxxxWEBP'),
      Buffer.from('II*\0\0\0\0\0'),
      Buffer.from([0xff, 0xd8, 0xff]),
    ]) {
      const { parts, sidecar } = embedMetadata(bytes, record as never);
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
      expect(sidecar?.toString()).toContain('Boats &amp;');
    }
  });

  it('of a packet with entities or faults is written anew', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><x:xmpmeta xmlns:x="adobe:ns:meta/">&a;</x:xmpmeta>';
    for (const former of [bomb, '<x:xmpmeta', '', 'text']) {
      const before = await sharp(canvas).png().toBuffer();
      const at = before.indexOf('IDAT') - 4;
      const data = Buffer.concat([Buffer.from('iTXtXML:com.adobe.xmp\0\0\0\0\0', 'latin1'), Buffer.from(former)]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length - 4);
      const given = Buffer.concat([before.subarray(0, at), length, data, Buffer.alloc(4), before.subarray(at)]);
      const after = Buffer.concat(embedMetadata(given, record as never).parts);
      expect(after.toString('latin1').split('XML:com.adobe.xmp')).toHaveLength(2);
      expect(after.toString()).not.toContain('ENTITY');
      expect(after.toString()).toContain('Boats &amp;');
    }
  });
});

describe('an export as ZIP', () => {
  it('has the originals under safe names, each once, and the records', async () => {
    await sharp(canvas).jpeg().toFile(join(world.media, 'p.jpg'));
    await sharp(canvas).gif().toFile(join(world.media, 'p.gif'));
    const ids = ['shelf:boats.jpg', 'shelf/boats.JPG', 'con', '...', 'niño'];
    const made = ids.map((id) => ({ id, src_path: 'p.jpg', title: `Title of ${id}`, keywords: ['sea', 'night'] }));
    await client.write('POST', '/imgs', [...made, { id: 'moving', src_path: 'p.gif', title: 'Moving' }]);
    const { operation, files, records } = await exported('/exports/imgs', {
      ids: [...ids, 'moving'],
      fields: ['title'],
    });
    expect(operation).toMatchObject({ num_good: 6, num_bad: 0 });
    expect([...files.keys()]).toEqual([
      'files/shelf_boats.jpg',
      'files/shelf_boats (2).jpg',
      'files/_con.jpg',
      'files/_.jpg',
      'files/niño.jpg',
      'files/moving.gif',
      'files/moving.gif.xmp',
      'records.ndjson',
    ]);
    expect(records[0]).toEqual({ id: ids[0], title: `Title of ${ids[0]}`, file: 'files/shelf_boats.jpg' });
    const original = readFileSync(join(world.media, 'p.jpg'));
    const file = files.get('files/shelf_boats.jpg') ?? Buffer.alloc(0);
    expect(await pixels(file)).toBe(await pixels(original));
    expect((await sharp(file).metadata()).xmp?.toString()).toContain('<rdf:li>night</rdf:li>');
    expect(files.get('files/moving.gif')?.equals(readFileSync(join(world.media, 'p.gif')))).toBe(true);
  });

  it('names records whose file cannot be read, as errors and in its list', async () => {
    await sharp(canvas).jpeg().toFile(join(world.media, 'gone.jpg'));
    await client.write(
      'POST',
      '/imgs',
      ['here', 'gone'].map((id) => ({ id, src_path: `${id === 'here' ? 'p' : id}.jpg` })),
    );
    execFileSync('rm', [join(world.media, 'gone.jpg')]);
    const { operation, files, records } = await exported('/exports/imgs', { ids: ['gone', 'here'], fields: [] });
    expect(operation).toMatchObject({
      num_good: 1,
      num_bad: 1,
      errors: [{ id: 0, ref: 'gone', code: 'source_unreachable' }],
    });
    expect(records).toMatchObject([
      { id: 'gone', file: null, error: { code: 'source_unreachable' } },
      { id: 'here', file: 'files/here.jpg' },
    ]);
    expect([...files.keys()]).toEqual(['files/here.jpg', 'records.ndjson']);
    // Without metadata it is the original, byte for byte.
    expect(files.get('files/here.jpg')?.equals(readFileSync(join(world.media, 'p.jpg')))).toBe(true);
  });

  it('of videos has them with their metadata beside them', async () => {
    const name = await clipInto(world.media, 'clip.mp4');
    await client.write('POST', '/vids', [{ id: 'clip', src_path: name, title: 'A clip', lang: 'en' }]);
    const { files } = await exported('/exports/vids', { q: '' });
    const [video = ''] = [...files.keys()];
    expect(files.get(video)?.equals(readFileSync(join(world.media, name)))).toBe(true);
    expect(files.get(`${video}.xmp`)?.toString()).toContain('A clip');
  });

  it('that is aborted leaves nothing', async () => {
    const { body } = await client.rest('POST', '/exports/imgs', { q: '', format: 'zip' });
    const aborted = await client.rest('DELETE', `/ops/${body.operation_id}`);
    expect(aborted.status).toBe(200);
    await expect.poll(async () => (await client.rest('GET', `/ops/${body.operation_id}`)).body.is_finished).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('has no temporary file that a killed process would leave', async () => {
    const stubbed = process.env['TMPDIR'];
    const folder = newFolder({ name: 'temporary-' });
    process.env['TMPDIR'] = folder;
    try {
      const pieces: Uint8Array[] = [];
      const sink = openZipSink({
        readSource: { use: () => Promise.reject(new ElementError('source_missing', 'no source')) } as never,
        streamSource: () => Promise.reject(new Error('no videos')),
        resource: 'image',
        columns: [],
        writer: { write: async (piece) => void pieces.push(piece) },
        owner: 1,
        signal: new AbortController().signal,
      });
      await expect(sink.add({ imageId: 'a', srcPath: 'a.jpg' } as never)).rejects.toThrow('no source');
      expect(readdirSync(folder)).toEqual([]);
      await sink.end();
      await sink.close();
      expect(Buffer.concat(pieces).includes('records.ndjson')).toBe(true);
    } finally {
      if (stubbed === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = stubbed;
    }
  });

  it('fails, and ends nothing else, if the temporary folder cannot be written', async () => {
    const stubbed = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(newFolder({ name: 'gone-' }), 'not', 'there');
    try {
      const readSource = { use: () => Promise.reject(new ElementError('source_missing', 'no source')) };
      const sink = openZipSink({
        readSource: readSource as never,
        streamSource: () => Promise.reject(new Error('no videos')),
        resource: 'image',
        columns: [],
        writer: { write: async () => {} },
        owner: 1,
        signal: new AbortController().signal,
      });
      await expect(sink.add({ imageId: 'a', srcPath: 'a.jpg' } as never)).rejects.toThrow('ENOENT');
      await sink.close();
    } finally {
      if (stubbed === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = stubbed;
    }
  });
});
