import { variables } from '../../src/config/config.ts';
import { imageBytes, measuredLimits } from '../../src/doctor/bottleneck.ts';

/** Inputs of the plan besides the table of `bench -- scale`, with the command that prints each. */
export const coefficients = {
  /** Bytes of an analysis in PostgreSQL: docs/run.md. */
  analysisBytes: 8_000,
  /** Bytes of a picture in the database's indexes of hashes and of vectors: `bench -- similarity-database`. */
  hashBytes: 412,
  vectorBytes: 545,
  /** Bytes of a picture in the in-memory index: `bench -- similarity`. */
  imageBytes,
  /** Core seconds to analyze a picture, and bytes of a process that does so: `bench -- analysis`. */
  analysisSeconds: 0.3,
  threadBytes: 6.5e8,
  /** Bytes of a process of the service: docs/run.md. */
  processBytes: 2.2e8,
} as const;

/** Assumptions, which are not measured; each is a typical value in operation. */
export const assumptions = {
  /** Fraction of a machine's cores that is in use, so that a burst need not wait. */
  busy: 0.6,
  /** Searches per second that a core of the service answers, not counting PostgreSQL's work for them. */
  searchesPerCore: 700,
  /** A page of records that Meilisearch has found takes this many times as long as one record. */
  readsOfPage: 5,
  /** Share of searches with many hits; the others have few. */
  broadSearches: 0.1,
  /** Disk space for dead rows, WAL, temporary files and the next index, for each byte in use. */
  room: 0.4,
  /** Share of an index that is read often and therefore belongs in memory. */
  warm: 0.5,
  /** The same for Meilisearch, whose index is mostly read in parts. */
  warmOfMeilisearch: 0.25,
  /** Cores of a machine that runs workers. */
  coresOfWorker: 8,
  /** Bytes on disk of one Meilisearch server; beyond that, another is added. */
  memberBytes: 1.5e11,
  /** Number of records from which Meilisearch counts and ranks words. */
  meilisearchFrom: measuredLimits.ranked,
  /** Pictures that one process with the embedded PostgreSQL serves. */
  oneProcessUpTo: 100_000,
  /** Number of a tenant's pictures from which similarity is searched in the database. */
  databaseFrom: variables.SIMILARITY_DATABASE_FROM.schema.parse(undefined),
} as const;
