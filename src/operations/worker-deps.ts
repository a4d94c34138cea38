import type { Database, Notifications, TenantQueue } from '../backing/index.ts';
import type { SourceStreamer } from '../catalog/index.ts';
import type { Exports } from '../exports/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { TenantIndexes } from '../similarity/index.ts';
import type { Uploads } from '../uploads/index.ts';
import type { Deliveries } from '../webhooks/index.ts';
import type { Patience } from './run/patience.ts';
import type { WriteDeps } from './store/read-facts.ts';

/** Dependencies of an operation worker. */
export type WorkerDeps = Omit<WriteDeps, 'readVideo' | 'similar'> &
  Readonly<{
    database: Database;
    queue: TenantQueue;
    /** Requests that this process is answering; storing gives way to them. */
    answers?: Answers;
    notifications: Notifications;
    /** Number of decoder threads. */
    workers: number;
    /** Media roots of this process; published to other processes. */
    mediaRoots?: readonly string[];
    /**
     * Whether stored pictures are analyzed for tenants without a setting of their own, and whether other processes do
     * it.
     */
    analysis?: Readonly<{ isDefault: boolean; isElsewhere?: boolean }>;
    /** How long changes of records are kept, for tenants without their own setting. */
    historyDays?: number;
    /** Uploaded files; those that nothing refers to are removed. */
    uploads?: Uploads;
    /** Files of exports; expired ones are removed. */
    exports?: Exports;
    /** Opens video files for export. */
    streamSource?: SourceStreamer;
    /** Sends notifications to webhooks; absent if other processes do so. */
    deliveries?: Deliveries;
    /** Indexes for formulas that search for similar images. */
    similar?: TenantIndexes;
    /** Patience with operations that cannot be stored; `storePatience` by default. */
    patience?: Patience;
  }>;
