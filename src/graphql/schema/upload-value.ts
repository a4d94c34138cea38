import type { Upload } from 'graphql-upload-ts';

/** A file as it arrives: what the client declares about it, and its bytes. */
export type ArrivingFile = Readonly<{
  name: string;
  mediaType?: string | undefined;
  /** Null if the length is known only at the end. */
  length?: number | null;
  pieces: AsyncIterable<Buffer>;
}>;

/** A file that came with a request: in memory or still arriving, as REST reads it, or from a multipart request. */
export type UploadValue = Readonly<{ name: string; bytes: Buffer }> | ArrivingFile | Upload;
