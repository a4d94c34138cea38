import { collect } from './container.ts';
import type { Container } from './container.ts';

const xmpName = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const exifName = Buffer.from('Exif\0', 'latin1');
/** Maximum size of a segment's data, without its two length bytes. */
const maxSegment = 65_533;
const app0 = 0xe0;
const app1 = 0xe1;
const startOfScan = 0xda;

type Segment = Readonly<{ marker: number; start: number; end: number; data: Buffer }>;

/** JPEG: the packet is a segment of its own before the tables and pixels. */
export const jpeg: Container = {
  isOf: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  read: (bytes) => segmentsOf(bytes)?.find(isXmp)?.data.subarray(xmpName.length) ?? null,
  write(bytes, packet) {
    const segments = segmentsOf(bytes);
    if (segments === null || xmpName.length + packet.length > maxSegment) return null;
    const header = Buffer.from([0xff, app1, 0, 0]);
    header.writeUInt16BE(2 + xmpName.length + packet.length, 2);
    const first = segments.findIndex((segment) => !isBefore(segment));
    const at = first === -1 ? (segments.at(-1)?.end ?? 2) : (segments[first]?.start ?? 2);
    const [before, after] = [segments.filter(({ start }) => start < at), segments.filter(({ start }) => start >= at)];
    const kept = (list: readonly Segment[]) =>
      list.filter((segment) => !isXmp(segment)).map(({ start, end }) => bytes.subarray(start, end));
    const rest = bytes.subarray(segments.at(-1)?.end ?? 2);
    return [bytes.subarray(0, 2), ...kept(before), header, xmpName, packet, ...kept(after), rest];
  },
};

/** Whether a segment goes before the packet: the JFIF and Exif headers come first. */
function isBefore({ marker, data }: Segment): boolean {
  return marker === app0 || (marker === app1 && data.subarray(0, exifName.length).equals(exifName));
}

function isXmp({ marker, data }: Segment): boolean {
  return marker === app1 && data.subarray(0, xmpName.length).equals(xmpName);
}

/** The segments before the pixels; null if the file is not a valid JPEG. @throws LargeMetadataError */
function segmentsOf(bytes: Buffer): Segment[] | null {
  const segments = collect(readSegments(bytes));
  const end = segments.at(-1)?.end ?? 2;
  return bytes[end] === 0xff && bytes[end + 1] === startOfScan ? segments : null;
}

/** Yields the segments up to the pixels, or up to the first thing that is not a segment. */
function* readSegments(bytes: Buffer): Generator<Segment> {
  for (let start = 2; start + 4 <= bytes.length && bytes[start] === 0xff;) {
    const marker = bytes[start + 1] ?? 0;
    const end = start + 2 + bytes.readUInt16BE(start + 2);
    if (marker < 0xc0 || marker === startOfScan || end > bytes.length || end < start + 4) return;
    yield { marker, start, end, data: bytes.subarray(start + 4, end) };
    start = end;
  }
}
