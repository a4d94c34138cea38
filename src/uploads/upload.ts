import type { StoredParts } from '../storage/index.ts';

/** What a client announces of a file before it sends it. */
export type Announced = Readonly<{
  name?: string | null | undefined;
  mediaType?: string | null | undefined;
  /** Null if it is not known until the file ends. */
  length: number | null;
  /** Whether the file, or its beginning, comes in the same request. */
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
    /** How many bytes had arrived each time another request started to store parts. */
    takeovers: readonly number[];
    createdAt: Date;
    expiresAt: Date;
    /** Null until it is complete. */
    checksum: string | null;
  }>;

/** A complete file, as its client sees it. */
export type KeptUpload = Readonly<{
  srcPath: string;
  name: string | null;
  byteSize: number;
  checksum: string;
  mediaType: string;
  /** A write has to refer to it by then. */
  expiresAt: Date;
}>;
