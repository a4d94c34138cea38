export { decodeImage } from './decode.ts';
export type { ImageFacts } from './decode.ts';
export * from './facts.ts';
export { openVision } from './open-vision.ts';
export type { Analysis, AnalysisRequest, Vision, VisionOptions } from './open-vision.ts';
export { nameObject } from './words/coco.ts';
export { openSight } from './open-sight.ts';
export { createSight } from './sight.ts';
export type { Sight } from './sight.ts';
