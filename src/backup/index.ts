export { checkArchive } from './check-archive.ts';
export { openArchive } from './open-archive.ts';
export type { OpenArchive } from './open-archive.ts';
export { readArchive } from './read-archive.ts';
export type { Restored, RestoreOptions } from './read-archive.ts';
export { ensureSigningKey, findSigningKey } from './signing-key.ts';
export { checkUnused } from './target.ts';
export { writeArchive } from './write-archive.ts';
