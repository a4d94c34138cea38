import type { Facts } from '../analysis/index.ts';
export { openImageAnalyzer } from '../analysis/index.ts';
export type {
  AnalyzerName,
  Box,
  Face,
  Facts,
  Language,
  OcrResult,
  DetectedObject,
  ImageAnalyzer,
  TextLine,
} from '../analysis/index.ts';
export type Color = Facts['colours']['colours'][number];
export { abortOperation } from './run/abort.ts';
export { checkReach, readDuplicateQuery } from './duplicates/search.ts';
export { onDuplicates } from './duplicates/on-duplicate.ts';
export type { OnDuplicate } from './duplicates/on-duplicate.ts';
export { eventTypes, watchOperation } from './events/events.ts';
export type { OperationEvent } from './events/events.ts';
export { keyInUse, rememberEarlyAnswer, submitOnce } from './submit/idempotency.ts';
export type { IdempotencyKey, Named } from './submit/idempotency.ts';
export type { OperationKindName } from './kinds.ts';
export { maxElements, maxComparedClosely, waitSeconds } from './limits.ts';
export { operationFigures } from './figures.ts';
export { hasLiveWorker, liveMediaRoots } from './lease/presence.ts';
export { uploadQueryImage } from '../tagging/query-image.ts';
export type { QueryImage } from '../search/index.ts';
export { removeExpired } from './retention.ts';
export { analysisFailures, elementFailures } from './errors-of.ts';
export type { AnalysisFailure, ElementFailure, Part } from './errors-of.ts';
export { submitOperation } from './submit/submit.ts';
export type { Submission } from './submit/submit.ts';
export { tagImage, tagOutputs, tagResult } from '../tagging/tag-image.ts';
export type { TagOutput, Tags } from '../tagging/tag-image.ts';
export { waitForOperation } from './events/wait.ts';
export type { OperationWarning } from './submit/warnings.ts';
export { startWorker } from './worker.ts';
export type { OperationWorker } from './worker.ts';
