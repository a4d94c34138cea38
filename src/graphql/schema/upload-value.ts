import type { Upload } from 'graphql-upload-ts';

/** A file as it arrives: what the client says of it, and its bytes. */
export type ArrivingFile = Readonly<{
  name: string;
  mediaType?: string | undefined;
  /** Null where only its end shows it. */
  length?: number | null;
  pieces: AsyncIterable<Buffer>;
}>;

/** A file that came with a request: in memory or arriving, as REST reads it, or of a multipart request. */
export type UploadValue = Readonly<{ name: string; bytes: Buffer }> | ArrivingFile | Upload;
