import type { ByteRange } from '../../lib/byte-range.ts';

/** The requested part of a file: `Range` and `If-Range` of a request. */
export type AskedPart = Readonly<{ range?: string | undefined; condition?: string | undefined }>;

/** A source file being forwarded; only a few of its bytes are in memory at a time. */
export type SourceStream = Readonly<{
  /** Size of the whole file in bytes; null if its server does not tell. */
  size: number | null;
  /** Entity tag, which changes with the file; null if its server sends none. */
  tag: string | null;
  /** The part being sent; null for the whole file. */
  part: ByteRange | 'unsatisfiable' | null;
  /** Whether parts of it can be requested. */
  hasParts: boolean;
  /** The bytes to send; can be read only once. @throws ElementError */
  bytes(): AsyncIterable<Uint8Array>;
  /** Must be called even if nothing was read. */
  close(): Promise<void>;
}>;
