/** What the plan reckons with beside the table of `bench -- scale`: what it is, and the command that prints it. */
type Coefficient = Readonly<{ value: number; what: string; from: string }>;

export const coefficients = {
  analysisBytes: { value: 8_000, what: 'bytes of an analysis in PostgreSQL', from: 'bench -- filling 20000 details' },
  hashBytes: { value: 412, what: 'bytes of a picture in the index of hashes', from: 'bench -- similarity-database' },
  vectorBytes: { value: 545, what: 'bytes of a picture in the index of vectors', from: 'bench -- similarity-database' },
  analysisSeconds: { value: 0.83, what: 'seconds of a core to analyze a picture', from: 'bench -- analysis' },
  processBytes: { value: 2.2e8, what: 'bytes of a process of the service', from: 'docs/run.md' },
  threadBytes: { value: 6.64e8, what: 'bytes of a process that analyzes', from: 'bench -- analysis' },
  imageBytes: { value: 358, what: 'bytes of a picture in the index in memory', from: 'bench -- similarity' },
} as const satisfies Readonly<Record<string, Coefficient>>;

/** What is assumed and not measured; each is a usual value of operators. */
export const assumptions = {
  /** Share of its cores that a machine is busy with, so that a burst does not wait. */
  busy: 0.6,
  /** Searches that a core of the service answers in a second, beside what PostgreSQL does for them. */
  searchesPerCore: 700,
  /** So many times as long as one record takes a page of records that Meilisearch has found. */
  readsOfPage: 5,
  /** Share of searches with many hits, among those with few. */
  broadSearches: 0.1,
  /** Disk that dead rows, WAL, temporary files and the next index need, for each byte in use. */
  room: 0.4,
  /** Share of an index that is read often and so belongs in memory. */
  warm: 0.5,
  /** The same of Meilisearch, whose index is mostly read in parts. */
  warmOfMeilisearch: 0.25,
  /** Cores of a machine of workers. */
  coresOfWorker: 8,
  /** Bytes on disk of one Meilisearch server, beyond which there is another. */
  memberBytes: 1.5e11,
  /** Records from which on words are counted and ranked by Meilisearch. */
  meilisearchFrom: 500_000,
  /** Pictures that one process with the embedded PostgreSQL serves. */
  oneProcessUpTo: 100_000,
  /** Pictures of a tenant from which on similarity is searched in the database. */
  databaseFrom: 2_000_000,
} as const;
