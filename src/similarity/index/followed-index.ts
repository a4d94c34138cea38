import type { Resource } from '../../catalog/index.ts';
import type { SimilarityIndex } from './similarity-index.ts';
import type { VectorModel } from './stored-fingerprints.ts';

/** How long changes of fingerprints are kept for indexes to catch up. */
export const keepChangesHours = 1;
/** An index that has not caught up for this long is rebuilt, well before the changes that it would need are removed. */
const outdatedMs = (keepChangesHours / 2) * 3_600_000;

/** One tenant's index, and the point up to which it has followed the database. */
export type Followed = {
  readonly of: Resource;
  readonly index: SimilarityIndex;
  readonly model: VectorModel | null;
  /** Id of the model in use when the index was read. */
  readonly modelInUse: number | null;
  /** Whether another model has come into use since. */
  isOutdated: boolean;
  horizon: string;
  open: readonly string[];
  caughtUpAt: number;
  /**
   * How many times since the index was read a changed record had no vector of the index's model: none at all, or only
   * one of another model.
   */
  withoutVector: number;
  /** Number of searches that are using this index. */
  users: number;
  /** Whether the index has been read again: then its last user releases this one. */
  isReplaced: boolean;
};

/** Releases the memory of a replaced index once no search uses it. */
export function clearUnused({ index, users, isReplaced }: Followed): void {
  if (isReplaced && users === 0) index.clear();
}

/** Whether an index can no longer catch up, is of another model, or has too few records with a vector of its model. */
export function mustReload({ index, withoutVector, caughtUpAt, isOutdated }: Followed): boolean {
  return isOutdated || Date.now() - caughtUpAt > outdatedMs || withoutVector > index.size / 2;
}
