import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { embeddingModelIds } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { addNotifications } from '../../notifications/index.ts';
import type { NewNotification } from '../../notifications/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { AnalyzerName, Outcomes } from '../../analysis/index.ts';
import { isKindName, operationKinds } from '../kinds.ts';
import { maxCrashes } from '../limits.ts';
import { timing } from '../../observability/metrics/index.ts';
import { withSpan } from '../../observability/tracing.ts';
import { endOperation } from '../run/end-operation.ts';
import { isPersistent } from '../run/patience.ts';
import { analysisWarningsOf } from '../submit/warnings.ts';
import { createBatcher } from './batcher.ts';
import { ChunkLostError } from './chunk-lost.ts';
import { holdChunk } from './hold-chunk.ts';
import { batch } from './limits.ts';
import { keepResults } from './keep-results.ts';
import type { AnalysisFault, ElementAnalysis } from './keep-results.ts';
import { imageRecordAnalyzer } from './analyze-image.ts';
import { videoRecordAnalyzer } from './analyze-video.ts';
import type { AnalysisDeps, RecordAnalyzer } from './record-analyzer.ts';
import type { NextPicture } from './next-picture.ts';
import { endChunk, isAnalyzed, markAnalysis, recordAnalysis } from './statements.ts';

/** A claimed chunk. */
export type AnalysisChunk = Readonly<{
  tenantId: number;
  operationId: number;
  number: number;
  /**
   * Chunks of lower rank go first: -1 is a task, 0 is urgent; otherwise it is the number of digits of the operation's
   * element count.
   */
  rank: number;
  /** Sequence number among all chunks that this process has claimed. */
  order: number;
  positions: readonly number[];
  /** Ids of the records, in the order of `positions`. */
  refs: readonly string[];
  done: readonly number[];
  /** Number of processes that died while trying each element, by its position; null if none did. */
  deaths: Readonly<Record<string, number>> | null;
  /** Kind of the operation. */
  kind: string;
}>;

type ChunkContext = AnalysisDeps &
  Readonly<{
    db: TenantDb;
    processId: string;
    /** Pictures that are analyzed in this process at the same time, shared out among tenants. */
    pictures: NextPicture;
    /** Runs elements on which a process has died before, one at a time in the whole process. */
    suspects: LimitFunction;
    /** Whether storing results of the chunk failed so often that each is now stored by itself. */
    isOneByOne: boolean;
    /** Fires when the operation is over, or the worker closes. */
    signal: AbortSignal;
  }>;

/** Analyzes the rest of a chunk, and stores results as they arrive. */
export function analyzeChunk(chunk: AnalysisChunk, context: ChunkContext): Promise<void> {
  const isOfVideos = isKindName(chunk.kind) && operationKinds[chunk.kind].resource === 'video';
  return isOfVideos
    ? analyzeWith(videoRecordAnalyzer, chunk, context)
    : analyzeWith(imageRecordAnalyzer, chunk, context);
}

async function analyzeWith<Subject, Write>(
  recordAnalyzer: RecordAnalyzer<Subject, Write>,
  chunk: AnalysisChunk,
  shared: ChunkContext,
): Promise<void> {
  const { db } = shared;
  // If a result cannot be stored, the chunk is restarted, here or elsewhere. This run must stop first: otherwise,
  // elements would be analyzed twice at the same time.
  const rest = new AbortController();
  const signal = AbortSignal.any([shared.signal, rest.signal]);
  const context = { ...shared, signal };
  const left = chunk.positions
    .map((position, index) => ({ position, ref: chunk.refs[index] ?? '' }))
    .filter(({ position }) => !chunk.done.includes(position));
  const subjects = await recordAnalyzer.find(
    db,
    left.map(({ ref }) => ref),
  );
  let open = left.length;
  if (open === 0) await keep(recordAnalyzer, chunk, context, [], true);
  const keeping = createBatcher<ElementAnalysis<Write>>(batch, async (results) => {
    await keep(recordAnalyzer, chunk, context, results, results.length === open);
    open -= results.length; // Only now: if these could not be stored, no later ones are the last.
  });
  const attempt: Attempt<ElementAnalysis<Write>> =
    chunk.deaths === null ? atOnce(chunk, context) : oneByOne(chunk, chunk.deaths, context);
  const all = left.map(async ({ position, ref }) => {
    const subject = subjects.get(ref);
    const reported = { 'vitrine.operation_id': chunk.operationId, 'vitrine.position': position };
    const run = () =>
      withSpan('picture analyze', reported, () => analyze(recordAnalyzer, position, ref, subject, chunk, context));
    const outcome = await attempt(position, run);
    const result = outcome ?? gaveUp(recordAnalyzer, position, ref, subject, context);
    signal.throwIfAborted();
    await keeping.add(result);
  });
  await Promise.all(all).finally(() => {
    rest.abort(new ChunkLostError());
    keeping.close();
  });
}

/** Runs the work for an element; null if the element is not tried again. */
type Attempt<Made> = (position: number, work: () => Promise<Made>) => Promise<Made | null>;

function atOnce<Made>(chunk: AnalysisChunk, { db, pictures }: ChunkContext): Attempt<Made> {
  return (_position, work) => pictures.run(db.tenantId, chunk, work);
}

/**
 * Handles a chunk on which a process has died, as the store stage does: one element at a time, each marked beforehand.
 */
function oneByOne<Made>(
  chunk: AnalysisChunk,
  deaths: Readonly<Record<string, number>>,
  { db, pictures, suspects, processId, signal }: ChunkContext,
): Attempt<Made> {
  const alone = pLimit(1);
  return (position, work) => {
    const count = deaths[position] ?? 0;
    if (count >= maxCrashes) return Promise.resolve(null);
    const attempt = () =>
      alone(async () => {
        signal.throwIfAborted();
        const { rowCount } = await db.query(markAnalysis, [chunk.operationId, chunk.number, position, processId]);
        if (rowCount === 0) throw new ChunkLostError();
        return pictures.run(db.tenantId, chunk, work);
      });
    return count === 0 ? attempt() : suspects(attempt);
  };
}

async function analyze<Subject, Write>(
  recordAnalyzer: RecordAnalyzer<Subject, Write>,
  position: number,
  ref: string,
  subject: Subject | undefined,
  { kind }: AnalysisChunk,
  context: ChunkContext,
): Promise<ElementAnalysis<Write>> {
  const { db, imageAnalyzer, signal, logger } = context;
  signal.throwIfAborted();
  if (subject === undefined) return { position, ref, write: null, fault: null }; // Deleted in the meantime.
  const began = performance.now();
  try {
    const { write, outcomes, error } = await recordAnalyzer.analyze(
      db.tenantId,
      subject,
      isForced(kind),
      context,
      signal,
    );
    timing('operation_stage_seconds', { stage: 'analyze' }).observeSince(began);
    return {
      position,
      ref,
      write,
      fault: error === undefined ? faultOf(position, ref, outcomes) : wholeFault(position, ref, error),
      warnings: analysisWarningsOf(position, outcomes),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isPersistent(error)) throw error; // Not the picture's fault: the chunk is tried again.
    if (!(error instanceof ElementError)) logger.error({ ref, error: String(error) }, 'internal error in an analysis');
    const known =
      error instanceof ElementError
        ? error
        : new ElementError('internal', `the ${recordAnalyzer.noun} could not be analyzed`);
    const write = recordAnalyzer.failed(subject, imageAnalyzer, known.message);
    return { position, ref, write, fault: wholeFault(position, ref, known) };
  }
}

/** Whether everything is analyzed again, even if this version has already done so. */
function isForced(kind: string): boolean {
  return kind === 'images.reanalyze' || kind === 'videos.reanalyze';
}

function gaveUp<Subject, Write>(
  recordAnalyzer: RecordAnalyzer<Subject, Write>,
  position: number,
  ref: string,
  subject: Subject | undefined,
  { imageAnalyzer }: ChunkContext,
): ElementAnalysis<Write> {
  const message = `the service ended ${maxCrashes} times while it analyzed this ${recordAnalyzer.noun}; it is not retried`;
  const write = subject === undefined ? null : recordAnalyzer.failed(subject, imageAnalyzer, message);
  return { position, ref, write, fault: wholeFault(position, ref, new ElementError('internal', message)) };
}

/** The error of an element that none of its analyzers alone is responsible for. */
function wholeFault(position: number, ref: string, { code, message }: ElementError): AnalysisFault {
  return { position, ref, analyzer: null, code, message };
}

/** The error of an element: that of the first analyzer that failed, with the names of the others. */
function faultOf(position: number, ref: string, outcomes: Outcomes): AnalysisFault | null {
  const errors = (Object.keys(outcomes) as AnalyzerName[]).flatMap((analyzer) => {
    const error = outcomes[analyzer]?.error;
    return error === undefined ? [] : [{ analyzer, ...error }];
  });
  const [first, ...others] = errors;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : `; so did ${others.map(({ analyzer }) => analyzer).join(', ')}`;
  return { position, ref, ...first, message: `${first.analyzer} failed: ${first.message}${more}` };
}

function toNotification({ operationId, kind }: AnalysisChunk) {
  const { resource } = isKindName(kind) ? operationKinds[kind] : { resource: null };
  return ({ ref, analyzer, code, message }: AnalysisFault): NewNotification => ({
    kind: 'analysis.failed',
    resource,
    ref,
    operationId,
    data: { analyzer, code, message },
  });
}

/** Stores results with their counters and marks in one transaction; the last ones may end the operation. */
async function keep<Write>(
  recordAnalyzer: Pick<RecordAnalyzer<unknown, Write>, 'keep' | 'modelsOf' | 'refused'>,
  chunk: AnalysisChunk,
  { db, processId, signal, logger, isOneByOne }: ChunkContext,
  results: readonly ElementAnalysis<Write>[],
  isLast: boolean,
): Promise<void> {
  signal.throwIfAborted();
  const { operationId, number } = chunk;
  const writes = results.flatMap(({ write }) => (write === null ? [] : [write]));
  const models = await embeddingModelIds(db, writes.flatMap(recordAnalyzer.modelsOf));
  await db.transaction(async (client) => {
    await holdChunk(db, client, chunk, processId);
    const kept = await keepResults(db, client, recordAnalyzer, results, { models, logger, isOneByOne });
    const faults = kept.flatMap(({ fault }) => fault ?? []);
    const positions = kept.map(({ position }) => position);
    const warnings = kept.flatMap((result) => result.warnings ?? []);
    const reported = [kept.length - faults.length, faults.length, JSON.stringify(faults), JSON.stringify(warnings)];
    if (positions.length > 0) await db.query(recordAnalysis, [operationId, number, positions, ...reported], client);
    await addNotifications(db, client, faults.map(toNotification(chunk)));
    if (!isLast) return;
    await db.query(endChunk, [operationId, number], client);
    const { rowCount: ended } = await db.query(isAnalyzed, [operationId], client);
    if (ended === 1) await endOperation(db, operationId, { isAborted: false, client, logger });
  });
}
