export { abortOperation } from './abort.ts';
export type { OperationKindName } from './kinds.ts';
export { maxElements, waitSeconds } from './limits.ts';
export { hasLiveWorker } from './presence.ts';
export { submitOperation } from './submit.ts';
export type { Submission } from './submit.ts';
export { waitForOperation } from './wait.ts';
export { startWorker } from './worker.ts';
export type { OperationWorker } from './worker.ts';
