import type { TenantDb } from '../tenants/index.ts';
import type { OnDuplicate } from './duplicates/on-duplicate.ts';
import { isKindName, operationKinds } from './kinds.ts';
import type { WriteKind } from './kinds.ts';
import type { Limits } from './store/prepare-chunk.ts';

/** An operation as the worker takes it up. */
export type OpenOperation = Readonly<{
  id: number;
  kind: string;
  state: 'queued' | 'running' | 'aborting';
  numTotal: number;
  doStrict: boolean;
  lang: string | null;
  /** Since it was accepted. */
  waitedSeconds: number;
  onDuplicate: OnDuplicate;
}>;

/** The worker's turn for a tenant: whose transactions count. */
export type TenantLease = Readonly<{
  db: TenantDb;
  holder: string;
  /** Id of the worker. */
  processId: string;
  /** What the turns of this worker share. */
  limits: Limits;
  /** Fires when the operation is aborted, or the turn lost. */
  signal: AbortSignal;
  /** Whether what is stored is analyzed, for tenants that do not say. */
  analysesByDefault: boolean;
  /** Elements are stored and may be analyzed now. */
  onStored(): void;
  /** True once others should get the worker, or the process is closing. */
  isOver(): boolean;
}>;

/** Thrown to leave everything as it is: another worker has this tenant now, or will have. */
export class LeaseLostError extends Error {}

/** What an operation does. @throws Error for a kind of another version, and for one that writes nothing. */
export function kindOf({ kind }: OpenOperation): WriteKind {
  const known = isKindName(kind) ? operationKinds[kind] : null;
  if (known === null || known.action === null) throw new Error(`this version cannot run operations of kind '${kind}'`);
  return known;
}
