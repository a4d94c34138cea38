import { exportLimits } from '../limits.ts';
import { LargeMetadataError } from './container.ts';
import type { Container } from './container.ts';

const xmpTag = 700;
const byteType = 1;
const entryBytes = 12;

/** The first directory of a file: its unchanged entries, and the offset of the next directory. */
type Directory = Readonly<{ isLittle: boolean; entries: readonly Buffer[]; next: Buffer }>;

/** TIFF: a copy of the first directory with one more entry is appended; everything else stays where it is. */
export const tiff: Container = {
  isOf: (bytes) => ['II*\0', 'MM\0*'].includes(bytes.toString('latin1', 0, 4)),
  read(bytes) {
    const directory = directoryOf(bytes);
    const entry = directory?.entries.find((each) => tagOf(each, directory.isLittle) === xmpTag);
    if (directory === null || entry === undefined) return null;
    const [length, start] = [readUInt32(entry, 4, directory.isLittle), readUInt32(entry, 8, directory.isLittle)];
    return start + length > bytes.length ? null : bytes.subarray(start, start + length);
  },
  write(bytes, packet) {
    const directory = directoryOf(bytes);
    const start = bytes.length + (bytes.length % 2);
    if (directory === null || start + packet.length > 2 ** 32 - 2 ** 20) return null;
    const { isLittle, next } = directory;
    const own = Buffer.alloc(entryBytes);
    write16(own, xmpTag, 0, isLittle);
    write16(own, byteType, 2, isLittle);
    write32(own, packet.length, 4, isLittle);
    write32(own, start, 8, isLittle);
    const others = directory.entries.filter((entry) => tagOf(entry, isLittle) !== xmpTag);
    const entries = [...others, own].toSorted((a, b) => tagOf(a, isLittle) - tagOf(b, isLittle));
    const count = Buffer.alloc(2);
    write16(count, entries.length, 0, isLittle);
    const header = Buffer.from(bytes.subarray(0, 8));
    write32(header, start + packet.length + (packet.length % 2), 4, isLittle);
    const [pad, padPacket] = [Buffer.alloc(bytes.length % 2), Buffer.alloc(packet.length % 2)];
    return [header, bytes.subarray(8), pad, packet, padPacket, count, ...entries, next];
  },
};

/** @throws LargeMetadataError */
function directoryOf(bytes: Buffer): Directory | null {
  if (bytes.length < 8) return null;
  const isLittle = bytes[0] === 0x49;
  const at = readUInt32(bytes, 4, isLittle);
  if (at < 8 || at + 2 > bytes.length) return null;
  const count = isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  if (count > exportLimits.fileParts) throw new LargeMetadataError('the file has too many entries');
  const end = at + 2 + count * entryBytes;
  if (end + 4 > bytes.length) return null;
  const entries = Array.from({ length: count }, (_, index) => {
    const start = at + 2 + index * entryBytes;
    return bytes.subarray(start, start + entryBytes);
  });
  return { isLittle, entries, next: bytes.subarray(end, end + 4) };
}

function tagOf(entry: Buffer, isLittle: boolean): number {
  return isLittle ? entry.readUInt16LE(0) : entry.readUInt16BE(0);
}

function readUInt32(bytes: Buffer, at: number, isLittle: boolean): number {
  return isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

function write16(bytes: Buffer, value: number, at: number, isLittle: boolean): void {
  if (isLittle) bytes.writeUInt16LE(value, at);
  else bytes.writeUInt16BE(value, at);
}

function write32(bytes: Buffer, value: number, at: number, isLittle: boolean): void {
  if (isLittle) bytes.writeUInt32LE(value, at);
  else bytes.writeUInt32BE(value, at);
}
