export { falseMatchesOf, recallOf, tryEdits } from './calibrate.ts';
export type { Picture, Trial } from './calibrate.ts';
export { findGroups } from './groups.ts';
export { ScanPool } from './memory/scan-pool.ts';
export { SharedHeap } from './memory/shared-heap.ts';
export type { Query } from './memory/scan.ts';
export { SimilarityIndex } from './memory/similarity-index.ts';
export type { Hit } from './memory/similarity-index.ts';
export { defaultThresholds } from './tiers.ts';
