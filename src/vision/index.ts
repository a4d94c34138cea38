export { decodeImage } from './decode.ts';
export type { ImageFacts } from './decode.ts';
export { createVideoReader } from './video/reader.ts';
export type { VideoReader, VideoReading, VideoSource } from './video/reader.ts';
export type { VideoFacts, VideoStill, VideoStills } from './video/messages.ts';
