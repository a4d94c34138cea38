/** A source with random access, of which only what is needed is read. */
export type OpenSource = Readonly<{
  /** Size in bytes. */
  size: number;
  /** Whether reading the end costs no more than reading the beginning. */
  isSeekable: boolean;
  /** Returns the bytes from `start` up to `end`, which lie within the size. @throws ElementError */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Number of bytes read from it so far. */
  bytesRead(): number;
  close(): Promise<void>;
}>;
