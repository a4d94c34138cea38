import type { ByteRange } from '../../lib/byte-range.ts';

/** The part of a file that is asked for: `Range` and `If-Range` of a request. */
export type AskedPart = Readonly<{ range?: string | undefined; condition?: string | undefined }>;

/** The file of a source while it is sent on, of which few bytes are in memory at a time. */
export type SourceStream = Readonly<{
  /** Of the whole file in bytes; null where its server does not say. */
  size: number | null;
  /** Entity tag, which changes with the file; null where its server names none. */
  tag: string | null;
  /** What is sent of it; null for the whole. */
  part: ByteRange | 'unsatisfiable' | null;
  /** Whether parts of it can be asked for. */
  hasParts: boolean;
  /** What is sent, to be read once. @throws ElementError */
  bytes(): AsyncIterable<Uint8Array>;
  /** Also where nothing was read. */
  close(): Promise<void>;
}>;
