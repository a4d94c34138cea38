import { VideoEncoder, VideoFrame } from '@napi-rs/webcodecs';

/** The side of a tile, in pixels: a phone's pictures consist of tiles. */
export const tileSide = 256;

export type HeicOptions = Readonly<{
  /** Colors of the tiles, row by row. */
  tiles: readonly (readonly (readonly [red: number, green: number, blue: number])[])[];
  /** Quarter turns counterclockwise by which the picture is shown. */
  turns?: 0 | 1 | 2 | 3;
  /** ICC profile of its colors. */
  profile?: Buffer;
}>;

/** A HEIC as phones write it: a grid of tiles in HEVC. Source of its boxes: ISO/IEC 23008-12. */
export async function makeHeic({ tiles, turns = 0, profile }: HeicOptions): Promise<Buffer> {
  const [rows, columns] = [tiles.length, tiles[0]?.length ?? 0];
  const encoded: Buffer[] = [];
  let config: Buffer = Buffer.alloc(0);
  for (const color of tiles.flat()) {
    const tile = await encode(color);
    encoded.push(tile.data);
    config = tile.config;
  }
  const grid = encoded.length + 1;
  const size = [tileSide * columns, tileSide * rows] as const;
  const properties = [
    box('hvcC', config),
    full('ispe', 0, u32(tileSide), u32(tileSide)),
    full('ispe', 0, u32(size[0]), u32(size[1])),
    box('irot', Buffer.of(turns)),
    ...(profile === undefined ? [] : [box('colr', Buffer.from('prof'), profile)]),
  ];
  const ofGrid = [3, 4, ...(profile === undefined ? [] : [5])];
  const ids = encoded.map((_, n) => n + 1);
  const associations = [...ids.map((id) => [id, [0x81, 2]] as const), [grid, ofGrid] as const];
  const descriptor = Buffer.concat([Buffer.of(0, 0, rows - 1, columns - 1), u16(size[0]), u16(size[1])]);
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  const meta = (dataAt: number) =>
    full(
      'meta',
      0,
      full('hdlr', 0, Buffer.from('\0\0\0\0pict', 'latin1'), Buffer.alloc(13)),
      full('pitm', 0, u16(grid)),
      full('iinf', 0, u16(grid), ...ids.map((id) => entry(id, 'hvc1')), entry(grid, 'grid')),
      full('iref', 0, box('dimg', u16(grid), u16(ids.length), ...ids.map(u16))),
      box(
        'iprp',
        box('ipco', ...properties),
        full(
          'ipma',
          0,
          u32(associations.length),
          ...associations.map(([id, of]) => Buffer.concat([u16(id), Buffer.of(of.length, ...of)])),
        ),
      ),
      full('iloc', 1, Buffer.of(0x44, 0), u16(grid), ...placed(encoded, dataAt), place(grid, 1, 0, descriptor.length)),
      box('idat', descriptor),
    );
  const dataAt = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(dataAt), box('mdat', ...encoded)]);
}

async function encode([red, green, blue]: readonly number[]): Promise<{ data: Buffer; config: Buffer }> {
  let data: Buffer = Buffer.alloc(0);
  let config: Buffer = Buffer.alloc(0);
  let fault: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, metadata) => {
      data = Buffer.alloc(chunk.byteLength);
      chunk.copyTo(data);
      config = Buffer.from(metadata?.decoderConfig?.description ?? []);
    },
    error: (error) => (fault = error),
  });
  encoder.configure({ codec: 'hvc1.1.6.L93.B0', width: tileSide, height: tileSide, bitrate: 2e6, framerate: 1 });
  const pixels = Buffer.alloc(tileSide ** 2 * 4, Buffer.of(red ?? 0, green ?? 0, blue ?? 0, 255));
  const frame = new VideoFrame(pixels, { format: 'RGBA', codedWidth: tileSide, codedHeight: tileSide, timestamp: 0 });
  encoder.encode(frame, { keyFrame: true });
  await encoder.flush();
  frame.close();
  encoder.close();
  if (fault !== null) throw fault;
  return { data, config };
}

function placed(encoded: readonly Buffer[], from: number): Buffer[] {
  let at = from;
  return encoded.map((data, n) => {
    const where = place(n + 1, 0, at, data.length);
    at += data.length;
    return where;
  });
}

/** Where an item is: in the file, or in the box `idat`. */
const place = (id: number, method: number, at: number, length: number): Buffer =>
  Buffer.concat([u16(id), u16(method), u16(0), u16(1), u32(at), u32(length)]);

const entry = (id: number, kind: string): Buffer =>
  full('infe', 2, u16(id), u16(0), Buffer.from(`${kind}\0`, 'latin1'));

function box(name: string, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, each) => sum + each.length, 8);
  return Buffer.concat([u32(length), Buffer.from(name, 'latin1'), ...content]);
}

const full = (name: string, version: number, ...content: readonly Buffer[]): Buffer =>
  box(name, u32(version << 24), ...content);

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
