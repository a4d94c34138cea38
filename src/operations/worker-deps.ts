import type { Database, Notifications, TenantQueue } from '../backing/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import type { WriteDeps } from './store/read-facts.ts';

/** What a worker of operations works with. */
export type WorkerDeps = Omit<WriteDeps, 'readVideo' | 'similar'> &
  Readonly<{
    database: Database;
    queue: TenantQueue;
    /** What this process answers; storing leaves processors to it. */
    answers?: Answers;
    notifications: Notifications;
    /** Threads that decode. */
    workers: number;
    /** Folders below which it reads sources; published to other processes. */
    mediaRoots?: readonly string[];
    /** Whether stored pictures are analyzed for tenants without a setting, and whether other processes do that. */
    analysis?: Readonly<{ isDefault: boolean; isElsewhere?: boolean }>;
    /** Indexes for formulas that search for similar images. */
    similar?: TenantIndexes;
  }>;
