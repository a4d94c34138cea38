export { isUploadPath } from './address.ts';
export { unstoredBytes, unusedHours, uploadLimits } from './limits.ts';
export type { KeptFile } from './open-kept.ts';
export { openConfiguredUploads } from './open-uploads.ts';
export { uploadFigures } from './figures.ts';
export type { Upload, KeptUpload } from './upload.ts';
export type { Uploads } from './uploads.ts';
export { noSuchUpload } from './refusals.ts';
export { keepUploads, useUploads } from './use.ts';
