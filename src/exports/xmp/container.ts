/** Maximum size of a packet that is read from a file. */
export const maxPacketBytes = 4 * 2 ** 20;

/** A picture format that can contain an XMP packet. */
export type Container = Readonly<{
  /** Whether a file has this format. */
  isOf(bytes: Buffer): boolean;
  /** The packet in a file; null if there is none. */
  read(bytes: Buffer): string | null;
  /**
   * The parts of the file with this packet in place of its own, with unchanged pixels; null if the file cannot contain it.
   */
  write(bytes: Buffer, packet: Buffer): readonly Buffer[] | null;
}>;
