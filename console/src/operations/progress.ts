import type { FollowOperationSubscription, OperationRowFragment } from '../api/documents.ts';
import { existingIn } from './failures.ts';

/** The progress of a stage of an operation, in elements. */
export type StageProgress = Readonly<{ stage: 'store' | 'analyze'; done: number; failed: number; total: number }>;

export type OperationEvent = FollowOperationSubscription['operationProgress'];

/** The stages of an operation; the second one only if something is analyzed. */
export function stagesOf(operation: OperationRowFragment): readonly StageProgress[] {
  const existing = existingIn(operation);
  return withoutEmpty(
    operation.stages.map(({ stage, numGood, numBad, numTotal }) => ({
      stage: stage as StageProgress['stage'],
      done: numGood + numBad,
      failed: stage === 'store' ? numBad - existing : numBad,
      total: numTotal,
    })),
  );
}

/** The stages of an event. */
export function stagesOfEvent(event: OperationEvent): readonly StageProgress[] {
  const { numTotal, numGood, numBad, numToAnalyze, numAnalyzed, numAnalysisBad } = event;
  return withoutEmpty([
    { stage: 'store', done: numGood + numBad, failed: numBad, total: numTotal },
    { stage: 'analyze', done: numAnalyzed, failed: numAnalysisBad, total: numToAnalyze },
  ]);
}

function withoutEmpty(stages: readonly StageProgress[]): readonly StageProgress[] {
  return stages.filter(({ stage, total }) => stage === 'store' || total > 0);
}

/** The number of finished elements, and when it was observed, in milliseconds. */
export type Sample = Readonly<{ at: number; done: number }>;

export type Pace = Readonly<{ perSecond: number; secondsLeft: number }>;

/** Samples older than this say nothing about the current pace. */
const windowMs = 15_000;

/** The samples that are still recent enough, with a new one. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ at }) => sample.at - at < windowMs), sample];
}

/** The pace of a stage according to its samples; null as long as there are too few. */
export function paceOf(samples: readonly Sample[], { done, total }: StageProgress): Pace | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at || last.done <= first.done) return null;
  const perSecond = ((last.done - first.done) / (last.at - first.at)) * 1_000;
  return { perSecond, secondsLeft: (total - done) / perSecond };
}

type State = 'queued' | 'storing' | 'exporting' | 'analyzing' | 'finished' | 'existing' | 'failed' | 'aborted';

/**
 * What an operation is doing; `failed` if it has ended and everything failed, `existing` if everything already
 * existed.
 */
export function stateOf(operation: OperationRowFragment): State {
  const { isAborted, isFinished, isStarted, numGood, numBad, stages } = operation;
  if (isAborted) return 'aborted';
  const existing = existingIn(operation);
  if (isFinished && numGood === 0 && numBad > 0 && existing === numBad) return 'existing';
  if (isFinished) return numGood + existing === 0 && numBad > 0 ? 'failed' : 'finished';
  if (!isStarted) return 'queued';
  if (isExport(operation)) return 'exporting';
  return stages[0]?.isFinished === true ? 'analyzing' : 'storing';
}

/** Whether an operation writes records; exports and searches for duplicates do not. */
export function isWrite(operation: Pick<OperationRowFragment, 'method' | 'kind'>): boolean {
  return !isExport(operation) && !operation.kind.endsWith('.find_duplicates');
}

/** Whether there is something to undo; purged records are gone for good. */
export function isUndoable(operation: Pick<OperationRowFragment, 'method' | 'kind' | 'isDryRun' | 'numGood'>): boolean {
  return isWrite(operation) && !operation.kind.endsWith('.purge') && !operation.isDryRun && operation.numGood > 0;
}

/** Whether an operation exports records: no other kind has this method. */
export function isExport({ method }: Pick<OperationRowFragment, 'method'>): boolean {
  return method === 'multiple';
}
