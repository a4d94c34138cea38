import type { StoredParts } from '../storage/index.ts';

/** What a client says of a file before it sends it. */
export type Announced = Readonly<{
  name?: string | null | undefined;
  mediaType?: string | null | undefined;
  /** Null where only the end of the file shows it. */
  length: number | null;
  /** Whether the file, or the beginning of it, comes in the same request. */
  isSent: boolean;
}>;

/** An upload: a file, or as much of it as has arrived. */
export type Upload = StoredParts &
  Readonly<{
    state: 'receiving' | 'kept' | 'removing';
    name: string | null;
    mediaType: string;
    length: number | null;
    received: number;
    createdAt: Date;
    expiresAt: Date;
    /** Once it is complete. */
    checksum: string | null;
  }>;

/** A complete file, as its client sees it. */
export type KeptUpload = Readonly<{
  srcPath: string;
  name: string | null;
  byteSize: number;
  checksum: string;
  mediaType: string;
  /** Until when a write has to name it. */
  expiresAt: Date;
}>;
