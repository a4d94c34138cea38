import { exportLimits } from '../limits.ts';

/** A picture format that can contain an XMP packet. */
export type Container = Readonly<{
  /** Whether a file has this format. */
  isOf(bytes: Buffer): boolean;
  /** The XMP packet of a file; null if there is none. @throws LargeMetadataError if it is too large, or could be. */
  read(bytes: Buffer): Buffer | null;
  /**
   * The pieces of the file with this packet in place of its own; pixels are unchanged. Null if the file cannot
   * contain a packet.
   */
  write(bytes: Buffer, packet: Buffer): readonly Buffer[] | null;
}>;

/** Thrown for a file whose metadata would take too much time or memory to change. */
export class LargeMetadataError extends Error {}

/** Checks the size of a packet. @throws LargeMetadataError */
export function checkPacket(packet: Buffer): Buffer {
  if (packet.length > exportLimits.packetBytes) throw new LargeMetadataError('the packet is too large');
  return packet;
}

/**
 * Collects the segments or chunks of a file. Limited, because each takes about a hundred bytes of memory but as few
 * as four in the file.
 *
 * @throws LargeMetadataError if there are too many.
 */
export function collect<Part>(parts: Iterable<Part>): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    if (all.length === exportLimits.fileParts) throw new LargeMetadataError('the file has too many parts');
    all.push(part);
  }
  return all;
}
