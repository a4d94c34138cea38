import type { Layout } from './block.ts';
import type { Query } from './scan.ts';
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

/** What a search compares: hashes of pictures only, or also vectors or hashes of parts, which no index of the database has. */
export type Compares = 'hashes' | 'everything';

/** All fingerprints of one tenant, wherever they are. */
export type SearchIndex = Readonly<{
  layout: Pick<Layout, 'dimensions'>;
  /** Finds all rows that match a query. The order is not fixed. */
  find: (query: Query) => Promise<Hit[]>;
  /** Makes sure that `has` and `get` know these records. */
  load: (ids: readonly number[]) => Promise<void>;
  has: (id: number) => boolean;
  get: (id: number) => IndexedFingerprint | null;
}>;
