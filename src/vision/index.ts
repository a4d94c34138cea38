export { decodeImage } from './decode.ts';
export type { ImageFacts } from './decode.ts';
