export { readArchive } from './read-archive.ts';
export type { Restored } from './read-archive.ts';
export { checkUnused } from './target.ts';
export { writeArchive } from './write-archive.ts';
