export { backendReasons, formerReasonOf, openMeilisearch } from './backend.ts';
export type { SearchRoute, MeilisearchBackend } from './backend.ts';
export { startIndexer } from './indexer.ts';
export type { Indexer } from './indexer.ts';
export { askForRebuild, meilisearchLag, isRebuilding } from './lag.ts';
export type { MeilisearchLag } from './lag.ts';
export { forgetChanges, noteChanges } from './outbox.ts';
