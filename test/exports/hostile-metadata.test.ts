import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { exportLimits } from '../../src/exports/limits.ts';
import { LargeMetadataError } from '../../src/exports/xmp/container.ts';
import { embedMetadata } from '../../src/exports/xmp/embed.ts';
import { toPacket } from '../../src/exports/xmp/packet.ts';
import { plain, pngOf } from '../support/hostile-pictures.ts';

const record = { title: 'Boats' };
const title = [{ prefix: 'dc', name: 'title', xml: '<dc:title>Boats</dc:title>' }] as const;

/** The milliseconds that something takes. */
function timed(act: () => void): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}

const repeated = (piece: string, count: number) => Buffer.from(piece.repeat(count), 'latin1');

/** A PNG with chunks after its header. */
async function pngWith(chunks: Buffer): Promise<Buffer> {
  const bytes = await plain('png');
  return Buffer.concat([bytes.subarray(0, 33), chunks, bytes.subarray(33)]);
}

const makers = {
  'a JPEG of a million segments': async () => {
    const bytes = await plain('jpeg');
    return Buffer.concat([bytes.subarray(0, 2), repeated('\xff\xe5\0\x02', 1_000_000), bytes.subarray(2)]);
  },
  'a PNG of a million chunks': () => pngWith(repeated('\0\0\0\0tEXt\0\0\0\0', 1_000_000)),
  'a WebP of a million chunks': async () => {
    const bytes = Buffer.concat([await plain('webp'), repeated('abcd\0\0\0\0', 1_000_000)]);
    bytes.writeUInt32LE(bytes.length - 8, 4);
    return bytes;
  },
  'a TIFF of 65 000 entries': () => {
    const head = Buffer.from('II*\0\x08\0\0\0\xe8\xfd', 'latin1');
    return Buffer.concat([head, Buffer.alloc(65_000 * 12), Buffer.alloc(4)]);
  },
};

describe('a picture with more metadata than can be changed soon', () => {
  it.each(Object.entries(makers))('such as %s is exported as it is, with a sidecar', async (_what, make) => {
    const bytes = await make();
    let embedded = embedMetadata(await plain('gif'), record as never);
    const ms = timed(() => (embedded = embedMetadata(bytes, record as never)));
    expect(embedded.parts.length === 1 && embedded.parts[0] === bytes).toBe(true);
    expect(embedded.sidecar?.toString()).toContain('Boats');
    expect(ms).toBeLessThan(1_000);
  });

  it.each(['tEXt', 'zTXt'] as const)('such as a packet beyond the limit in %s is, too, and keeps it', async (type) => {
    const packet = Buffer.alloc(exportLimits.packetBytes + 1, '<a/>');
    const [name, data] = ['XML:com.adobe.xmp\0', type === 'tEXt' ? packet : deflateSync(packet)];
    const bytes = await pngWith(
      pngOf([[type, Buffer.concat([Buffer.from(name + (type === 'zTXt' ? '\0' : '')), data])]]).subarray(8),
    );
    const { parts, sidecar } = embedMetadata(bytes, record as never);
    expect(parts.length === 1 && parts[0] === bytes).toBe(true);
    expect(sidecar?.toString()).toContain('Boats');
  });
});

const begin = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">';
const end = '</rdf:RDF></x:xmpmeta>';
const description = (content: string, attributes = '') =>
  `${begin}<rdf:Description rdf:about=""${attributes}>${content}</rdf:Description>${end}`;
const most = exportLimits.packetBytes;
const numbered = (piece: (i: number) => string, count: number) =>
  Array.from({ length: count }, (_, i) => piece(i)).join('');
/** So many tags, or half of them and as many attributes, stay within the limit. */
const tags = exportLimits.packetTags - 100;

/** Packets within the limits, and whether they can be read. */
const packets: readonly (readonly [what: string, isReadable: boolean, packet: string])[] = [
  ['signs of tags', false, '<'.repeat(most)],
  ['signs of tags in its description', false, description('<'.repeat(most))],
  ['tags inside each other', true, description('<a>'.repeat(tags / 2) + '</a>'.repeat(tags / 2))],
  [
    'namespaces inside each other',
    true,
    description(numbered((i) => `<a xmlns:p${i}="u">`, tags / 3) + '</a>'.repeat(tags / 3)),
  ],
  ['tags beside each other', true, description('<a/>'.repeat(tags))],
  ['titles', true, description('<dc:title/>'.repeat(tags), ' xmlns:dc="http://purl.org/dc/elements/1.1/"')],
  [
    'attributes',
    true,
    description(
      '',
      numbered((i) => ` a${i}=""`, tags),
    ),
  ],
  [
    'namespaces',
    true,
    description(
      '',
      numbered((i) => ` xmlns:a${i}="u" a${i}:b=""`, tags / 2),
    ),
  ],
  ['comments', true, description('<!---->'.repeat(tags))],
  ['references', true, description('&amp;'.repeat(most / 5))],
  ['unknown references', false, description(`${'&amp;'.repeat(most / 6)}&x;`)],
  ['blanks in a tag', false, description(`<a${' '.repeat(most)}b>`)],
  ['blanks around it', true, ' '.repeat(most / 2) + description('') + ' '.repeat(most / 2)],
  ['one long name', true, description(`<${'a'.repeat(most)}/>`)],
];

describe('a packet', () => {
  it.each(packets)('of very many %s takes linear time', (_what, isReadable, packet) => {
    let written: Buffer = Buffer.alloc(0);
    const ms = timed(() => (written = toPacket(title, packet)));
    expect(written.equals(toPacket(title, null))).toBe(!isReadable);
    expect(written.toString().split('Boats')).toHaveLength(2);
    expect(ms).toBeLessThan(1_000);
  });

  it.each([
    ['tags', description('<a/>'.repeat(exportLimits.packetTags))],
    [
      'attributes',
      description(
        '',
        numbered((i) => ` a${i}=""`, exportLimits.packetTags),
      ),
    ],
  ])('with too many %s is not read', (_what, packet) => {
    expect(() => toPacket(title, packet)).toThrow(LargeMetadataError);
  });

  it('loses the given properties, as elements and attributes, by any prefix, and nothing else', () => {
    const dc = 'http://purl.org/dc/elements/1.1/';
    const former = `<?xpacket begin=""?>${begin}<!-- <dc:title> -->
      <rdf:Description xmlns:d="${dc}" d:title='a > b' title="kept" d:rights="kept"><d:title><d:title/>gone</d:title >
        <d:subject><d:title>kept</d:title></d:subject><![CDATA[<d:title>kept</d:title>]]></rdf:Description>
      <rdf:Description><title xmlns="${dc}">gone</title><title xmlns="${dc}kept"/></rdf:Description>${end}<?xpacket end="w"?>\0\0`;
    const text = toPacket(title, former).toString();
    expect(text).not.toMatch(/gone|a > b/);
    expect(text.match(/kept/g)).toHaveLength(5);
    expect(text).toContain('<dc:title>Boats</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>');
  });

  it.each([
    ['a tag that is not closed', begin],
    ['tags that cross', description('<a><b></a></b>')],
    ['an attribute that is there twice', description('', ' a="" a=""')],
    ['text behind its root', `${description('')}text`],
    ['two roots', description('') + description('')],
    ['a reference to no character', description('&a;')],
    ['no RDF', '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'],
    ['a declaration', `<!DOCTYPE a>${description('')}`],
  ])('with %s is replaced', (_what, packet) => {
    expect(toPacket(title, packet).equals(toPacket(title, null))).toBe(true);
  });
});
