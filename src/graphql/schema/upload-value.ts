import type { Upload } from 'graphql-upload-ts';

/** A file that came with a request: in memory, as REST reads it, or still arriving. */
export type UploadValue = Readonly<{ name: string; bytes: Buffer }> | Upload;
