export { uploadQueryImage } from './query-image.ts';
export { tagImage, tagOutputs, tagResult } from './tag-image.ts';
export type { TagOutput, Tags } from './tag-image.ts';
