import { variables } from '../../src/config/config.ts';
import { imageBytes, measuredLimits } from '../../src/doctor/bottleneck.ts';

/** What the plan reckons with beside the table of `bench -- scale`, with the command that prints it. */
export const coefficients = {
  /** Bytes of an analysis in PostgreSQL: docs/run.md. */
  analysisBytes: 8_000,
  /** Bytes of a picture in the database's indexes of hashes and of vectors: `bench -- similarity-database`. */
  hashBytes: 412,
  vectorBytes: 545,
  /** Bytes of a picture in the index in memory: `bench -- similarity`. */
  imageBytes,
  /** Seconds of a core to analyze a picture, and bytes of a process that does: `bench -- analysis`. */
  analysisSeconds: 0.3,
  threadBytes: 6.5e8,
  /** Bytes of a process of the service: docs/run.md. */
  processBytes: 2.2e8,
} as const;

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
  meilisearchFrom: measuredLimits.ranked,
  /** Pictures that one process with the embedded PostgreSQL serves. */
  oneProcessUpTo: 100_000,
  /** Pictures of a tenant from which on similarity is searched in the database. */
  databaseFrom: variables.SIMILARITY_DATABASE_FROM.schema.parse(undefined),
} as const;
