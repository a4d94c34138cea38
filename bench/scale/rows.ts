/** Figures of one catalog, keyed by row name. */
export type Figures = Readonly<Partial<Record<RowName, number>>>;

type Row = Readonly<{ what: string; unit: 'ms' | 's' | 'MB'; isOfEach?: true }>;

/**
 * Rows of the table: their label, their unit, and whether they are per record and therefore grow in proportion to the
 * number of records.
 */
export const rows = {
  load: { what: 'loaded in bulk, then indexed', unit: 's' },
  store: { what: 'stored by the service: 10,000 tiny files', unit: 's' },
  get: { what: '`GET /imgs/{id}`', unit: 'ms' },
  selective: { what: 'the slowest of seven searches with few hits', unit: 'ms' },
  broad: { what: 'the slowest of thirteen searches with many hits', unit: 'ms' },
  countAll: { what: 'count of everything', unit: 'ms' },
  countWord: { what: 'count of a word in 45% of all', unit: 'ms' },
  facets: { what: 'five facets over everything', unit: 'ms' },
  table: { what: 'table of images, without analysis', unit: 'MB', isOfEach: true },
  indexes: { what: 'its indexes', unit: 'MB', isOfEach: true },
  process: { what: 'process that answers and works', unit: 'MB' },
  memory: { what: 'similarity: index in memory', unit: 'MB', isOfEach: true },
  same: { what: '`i==` against all hashes', unit: 'ms' },
  alike: { what: '`i~` against all vectors', unit: 'ms' },
  groups: { what: 'all groups of duplicates', unit: 's' },
  indexed: { what: 'indexed by Meilisearch', unit: 's' },
  meilisearch: { what: 'Meilisearch on disk', unit: 'MB', isOfEach: true },
} as const satisfies Readonly<Record<string, Row>>;

export type RowName = keyof typeof rows;

/** Figures of catalogs, keyed by their size. */
export type Measured = ReadonlyMap<number, Figures>;
