import type { Layout } from './block.ts';
import type { Query, VectorQuery } from './scan.ts';
import type { Hit, IndexedFingerprint } from './similarity-index.ts';

/** Where fingerprints are searched: in memory, or in the database. */
export type SimilarityMode = 'auto' | 'memory' | 'database';

/** Which searches go where. */
export type Placement = Readonly<{
  mode: SimilarityMode;
  /** Images of a tenant from which on `auto` searches the database. */
  databaseFrom: number;
}>;

export const inMemory: Placement = { mode: 'memory', databaseFrom: Number.POSITIVE_INFINITY };

/** What a search compares. Hashes of parts have no index in the database. */
export type Compares = 'hashes' | 'parts' | 'vectors';
export const allCompared: readonly Compares[] = ['hashes', 'parts', 'vectors'];

/** A condition of the table of images as SQL, with its literals as parameters. */
export type RowFilter = (parameter: (value: unknown) => string) => Promise<string>;

/** Which of the similar rows a search is about. An index in memory finds all others as well. */
export type AlikeScope = Readonly<{
  /** How many of the nearest are enough. */
  most?: number;
  /** Whether many are expected, so that they are looked for at once. */
  areMany?: boolean;
  /** Rows that match; null for all. */
  within?: RowFilter | null;
}>;

/** All fingerprints of one tenant, wherever they are. */
export type SearchIndex = Readonly<{
  layout: Pick<Layout, 'dimensions'>;
  /** Finds all rows that match a query. The order is not fixed. */
  find: (query: Query) => Promise<Hit[]>;
  /** As `find`, but an index of vectors in the database finds only so many of the nearest. */
  findAlike: (query: VectorQuery, scope?: AlikeScope) => Promise<Hit[]>;
  /** Makes sure that `has` and `get` know these records. */
  load: (ids: readonly number[]) => Promise<void>;
  has: (id: number) => boolean;
  get: (id: number) => IndexedFingerprint | null;
}>;
