/** Longest packet that is read from a file. */
export const maxPacketBytes = 4 * 2 ** 20;

/** A format of pictures that can hold a packet of XMP. */
export type Container = Readonly<{
  /** Whether a file is of this format. */
  isOf(bytes: Buffer): boolean;
  /** The packet that a file has. */
  read(bytes: Buffer): string | null;
  /** The parts of the file with this packet in place of its own, without a change of its pixels; null where it cannot have it. */
  write(bytes: Buffer, packet: Buffer): readonly Buffer[] | null;
}>;
