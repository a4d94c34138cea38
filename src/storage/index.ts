export { openStore } from './open-store.ts';
export type { FileStore } from './store.ts';
export { removeFiles, removeParts } from './remove-files.ts';
export type { OwnedParts } from './remove-files.ts';
export { partName, partsOf } from './parts.ts';
export type { StoredParts } from './parts.ts';
