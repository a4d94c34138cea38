export { countImages, imageSorts, listImages } from './list-images.ts';
export type { ImagePage, SortOrder } from './list-images.ts';
