import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { tenantsOfProcess } from '../../lib/active-tenants.ts';
import type { Answers } from '../../lib/answers.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import { parallelDecodings, parallelReads, readsWithOwn, videosWithOwn } from '../limits.ts';

/** Limits shared by the operations of one process. */
export type StoreLimits = Readonly<{
  reading: FairSemaphore;
  /** Decoding of small files, of large ones, and of pictures that need a process of their own. */
  decoding: Readonly<Record<keyof typeof parallelDecodings, FairSemaphore>>;
  /** Videos, each of which gets a process of its own. */
  videos: FairSemaphore;
  /**
   * Whether no query is being answered and only one tenant is served, so that it may have the whole database to
   * itself.
   */
  isQuiet: () => boolean;
  /** Runs elements on which a process has died before, one at a time in the whole process. */
  suspects: LimitFunction;
}>;

/** @param answers while queries are answered, fewer pictures are decoded at a time */
export function createLimits(workers: number, answers: Answers): StoreLimits {
  const decoding = ({ alone, besideQueries, withOwn }: (typeof parallelDecodings)[keyof typeof parallelDecodings]) =>
    new FairSemaphore({
      name: 'decodings',
      capacity: () => workers * (answers.running === 0 ? alone : besideQueries),
      capacityForFirst: withOwn,
    });
  const { small, large, apart } = parallelDecodings;
  return {
    reading: new FairSemaphore({ name: 'sources', ...parallelReads, capacityForFirst: readsWithOwn }),
    decoding: { small: decoding(small), large: decoding(large), apart: decoding(apart) },
    videos: new FairSemaphore({ name: 'videos', capacity: workers, capacityForFirst: workers + videosWithOwn }),
    isQuiet: () => answers.running === 0 && !tenantsOfProcess.isShared,
    suspects: pLimit(1),
  };
}
