import type { Layout } from './block.ts';
import type { Query, VectorQuery } from './scan.ts';
import type { Hit, IndexedFingerprint } from './similarity-index.ts';

/** Where fingerprints are searched: in memory or in the database. */
type SimilarityMode = 'auto' | 'memory' | 'database';

/** Which searches go where. */
export type Placement = Readonly<{
  mode: SimilarityMode;
  /** Number of images from which `auto` searches a tenant's images in the database. */
  databaseFrom: number;
}>;

export const inMemory: Placement = { mode: 'memory', databaseFrom: Number.POSITIVE_INFINITY };

/** What a search compares. The database has no index of the hashes of parts. */
export type Compares = 'hashes' | 'parts' | 'vectors';
export const allCompared: readonly Compares[] = ['hashes', 'parts', 'vectors'];

/** Returns an SQL condition on the table of images, with its literals as parameters. */
export type RowFilter = (parameter: (value: unknown) => string) => Promise<string>;

/** Which similar rows a search needs. An index in memory finds all the others, too. */
export type AlikeScope = Readonly<{
  /** How many of the nearest are enough. */
  most?: number;
  /** Rows that match; null for all. */
  within?: RowFilter | null;
}>;

/** All fingerprints of one tenant, wherever they are. */
export type SearchIndex = Readonly<{
  layout: Pick<Layout, 'dimensions'>;
  /** Finds all rows that match a query, in no particular order. */
  find: (query: Query) => Promise<Hit[]>;
  /** Like `find`, but a vector index in the database finds only a limited number of the nearest. */
  findAlike: (query: VectorQuery, scope?: AlikeScope) => Promise<Hit[]>;
  /** Loads these records for `has` and `get`. */
  load: (ids: readonly number[]) => Promise<void>;
  has: (id: number) => boolean;
  get: (id: number) => IndexedFingerprint | null;
}>;
