/** A source that is read at random, as far as its reader needs. */
export type OpenSource = Readonly<{
  /** In bytes. */
  size: number;
  /** Whether its end costs no more than its beginning. */
  isSeekable: boolean;
  /** The bytes from `start` up to `end`, which lie within the size. @throws ElementError */
  read(start: number, end: number): Promise<Uint8Array>;
  /** How many bytes were taken from it so far. */
  bytesRead(): number;
  close(): Promise<void>;
}>;
