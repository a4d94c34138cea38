import type { PoolClient } from 'pg';
import type { ModelIds, SourceOpener, SourceReader } from '../../catalog/index.ts';
import type { ElementError } from '../../lib/errors.ts';
import type { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { languages } from '../../analysis/index.ts';
import type { AnalyzerName, Language, Origin, Outcomes, ImageAnalyzer, VideoReader } from '../../analysis/index.ts';
import type { SourceBytesCache } from './source-bytes-cache.ts';

/** Dependencies of the analysis, besides the database. */
export type AnalysisDeps = Readonly<{
  imageAnalyzer: ImageAnalyzer;
  sourceBytes: SourceBytesCache;
  readSource: SourceReader;
  openSource: SourceOpener;
  readVideo: VideoReader['read'];
  /** Limits how many videos are read at the same time, each in its own process. */
  videos: FairSemaphore;
  logger: Logger;
}>;

/** The result of an analysis: what to store, the outcome of each analyzer, and why the record failed although there are some. */
export type RecordAnalysis<Write> = Readonly<{ write: Write; outcomes: Outcomes; error?: ElementError }>;

/** How records of one kind are analyzed, and what is stored of it. */
export type RecordAnalyzer<Subject, Write> = Readonly<{
  /** The word for these records in messages. */
  noun: string;
  /** The existing records among `ids`, by id. */
  find: (db: TenantDb, ids: readonly string[]) => Promise<ReadonlyMap<string, Subject>>;
  /**
   * Analyzes a record as stored: what is missing, or everything with `force`.
   *
   * @throws ElementError if its source cannot be read or has changed; the signal's reason.
   */
  analyze: (
    tenantId: number,
    subject: Subject,
    force: boolean,
    deps: AnalysisDeps,
    signal: AbortSignal,
  ) => Promise<RecordAnalysis<Write>>;
  /** What is stored for a record that could not be analyzed, with the reason. */
  failed: (subject: Subject, imageAnalyzer: ImageAnalyzer, reason: string) => Write;
  /** What is stored instead for a record whose results the database refuses. */
  refused: (write: Write, reason: string) => Write;
  /** Names of the models that produced its vectors. */
  modelsOf: (write: Write) => readonly string[];
  keep: (db: TenantDb, client: PoolClient, writes: readonly Write[], models: ModelIds) => Promise<void>;
}>;

type Known = Readonly<Record<string, Omit<Origin, 'milliseconds'> & Readonly<{ error?: unknown }>>>;

/** The analyzers among `names` whose results a record lacks, or only has from another version. */
export function wantedOf(
  known: Known,
  names: readonly AnalyzerName[],
  { origins }: ImageAnalyzer,
  force: boolean,
): AnalyzerName[] {
  return names.filter((name) => {
    const [has, now] = [known[name], origins[name]];
    return (
      force ||
      has === undefined ||
      has.error !== undefined ||
      has.analyzer !== now?.analyzer ||
      has.version !== now.version
    );
  });
}

/** All languages, that of the record first. */
export function languagesFrom(lang: string): Language[] {
  return [lang as Language, ...languages.filter((other) => other !== lang)];
}
