import type { Layout } from './block.ts';
import type { Query, VectorQuery } from './scan.ts';
import type { Hit, IndexedFingerprint } from './similarity-index.ts';

/** Where fingerprints are searched: in memory, or in the database. */
type SimilarityMode = 'auto' | 'memory' | 'database';

/** Which searches go where. */
export type Placement = Readonly<{
  mode: SimilarityMode;
  /** Number of images of a tenant from which on `auto` searches the database. */
  databaseFrom: number;
}>;

export const inMemory: Placement = { mode: 'memory', databaseFrom: Number.POSITIVE_INFINITY };

/** What a search compares. Hashes of parts have no index in the database. */
export type Compares = 'hashes' | 'parts' | 'vectors';
export const allCompared: readonly Compares[] = ['hashes', 'parts', 'vectors'];

/** Returns a condition on the table of images in SQL, with its literals as parameters. */
export type RowFilter = (parameter: (value: unknown) => string) => Promise<string>;

/** Which of the similar rows a search needs. An index in memory finds all others as well. */
export type AlikeScope = Readonly<{
  /** How many of the nearest are enough. */
  most?: number;
  /** Rows that match; null for all. */
  within?: RowFilter | null;
}>;

/** All fingerprints of one tenant, wherever they are. */
export type SearchIndex = Readonly<{
  layout: Pick<Layout, 'dimensions'>;
  /** Finds all rows that match a query. The order is not fixed. */
  find: (query: Query) => Promise<Hit[]>;
  /** Like `find`, but a vector index in the database finds only a limited number of the nearest. */
  findAlike: (query: VectorQuery, scope?: AlikeScope) => Promise<Hit[]>;
  /** Makes sure that `has` and `get` know these records. */
  load: (ids: readonly number[]) => Promise<void>;
  has: (id: number) => boolean;
  get: (id: number) => IndexedFingerprint | null;
}>;
