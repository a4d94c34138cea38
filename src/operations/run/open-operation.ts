import type { TenantDb } from '../../tenants/index.ts';
import type { OnDuplicate } from '../duplicates/on-duplicate.ts';
import { isKindName, operationKinds } from '../kinds.ts';
import type { WriteKind } from '../kinds.ts';
import type { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { StoreLimits } from '../store/limits.ts';

/** An operation as the worker reads it. */
export type OpenOperation = Readonly<{
  id: number;
  kind: string;
  state: 'queued' | 'running' | 'aborting';
  numTotal: number;
  doStrict: boolean;
  doRespectLocks: boolean;
  isDryRun: boolean;
  lang: string | null;
  /** Seconds since it was accepted. */
  waitedSeconds: number;
  onDuplicate: OnDuplicate;
  /** Faults so far, and the time since the first. */
  numFaults: number;
  faultySeconds: number;
}>;

/** The worker's lease for a tenant: only transactions of its holder count. */
export type TenantLease = Readonly<{
  db: TenantDb;
  leaseId: string;
  /** Id of the worker. */
  processId: string;
  /** Limits shared by all leases of this worker. */
  limits: StoreLimits;
  /** Limits transactions that store; see `FairConnections`. */
  stores: FairSemaphore;
  /** Fires when the operation is aborted or the lease is lost. */
  signal: AbortSignal;
  /** Whether stored pictures are analyzed for tenants without a setting. */
  analysesByDefault: boolean;
  /** Called when elements are stored and may be analyzed. */
  onStored(): void;
  /** Whether the worker should now serve others, or the process is closing. */
  isOver(): boolean;
}>;

/** Thrown to stop without changing anything: another worker has this tenant's lease, or soon will. */
export class LeaseLostError extends Error {}

/** Only another version of the service can run operations of this kind. */
export class UnknownKindError extends Error {}

/**
 * An operation's kind. @throws UnknownKindError for a kind of another version, and for a task, which writes nothing.
 */
export function kindOf({ kind }: OpenOperation): WriteKind {
  const known = isKindName(kind) ? operationKinds[kind] : null;
  if (known === null || known.action === null)
    throw new UnknownKindError(`this version cannot run operations of kind '${kind}'`);
  return known;
}
