import { isUnavailable } from '../../backing/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { askToAbort, noteFault } from '../statements.ts';
import { UnknownKindError } from './open-operation.ts';
import type { OpenOperation } from './open-operation.ts';

/** Tries, and seconds since the first of them, until less is expected of an operation. */
export type Patience = Readonly<{ tries: number; seconds: number }>;

/** Faults until now, and seconds since the first. */
export type FaultsSoFar = Readonly<{ numFaults: number; faultySeconds: number }>;

/** Whether something has failed so often, and for so long, that each of its elements is stored by itself. */
export function isStoredApart(faults: FaultsSoFar, patience: Patience): boolean {
  return isOver(faults, patience, 1);
}

/** Counts a fault of an operation; one that is beyond patience is asked to abort. */
export async function meetFault(
  db: TenantDb,
  operation: OpenOperation,
  error: unknown,
  patience: Patience,
): Promise<void> {
  if (!isPersistent(error)) return;
  await db.query(noteFault, [operation.id]);
  if (isOver(operation, patience, 2)) await db.query(askToAbort, [operation.id]);
}

function isOver({ numFaults, faultySeconds }: FaultsSoFar, { tries, seconds }: Patience, times: number): boolean {
  return numFaults >= times * tries && faultySeconds >= times * seconds;
}

/** PostgreSQL's classes and codes of what a later try can do: conflicts of transactions and locks. */
const passing = /^(?:40...|55P03)$/;

/** Whether a later try is likely to fail as well. */
export function isPersistent(error: unknown): boolean {
  if (isUnavailable(error) || error instanceof UnknownKindError) return false;
  return !passing.test(String((error as { code?: unknown }).code));
}
