import { isUnavailable } from '../../backing/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { askToAbort, noteFault } from '../statements.ts';
import { UnknownKindError } from './open-operation.ts';
import type { OpenOperation } from './open-operation.ts';

/**
 * Failed tries, and seconds since the first of them, after which elements are stored one by one; after twice as many
 * of both, the operation is aborted.
 */
export type Patience = Readonly<{ tries: number; seconds: number }>;

/** Faults so far, and seconds since the first. */
type FaultsSoFar = Readonly<{ numFaults: number; faultySeconds: number }>;

/** Whether something has failed so often, and for so long, that its elements are stored one by one. */
export function storesOneByOne(faults: FaultsSoFar, patience: Patience): boolean {
  return isOver(faults, patience, 1);
}

/** Counts a persistent fault of an operation; at twice the patience, asks the operation to abort. */
export async function countFault(
  db: TenantDb,
  operation: OpenOperation,
  error: unknown,
  patience: Patience,
): Promise<void> {
  if (!isPersistent(error)) return;
  const { rows } = await db.query<FaultsSoFar>(noteFault, [operation.id]);
  if (rows[0] !== undefined && isOver(rows[0], patience, 2)) await db.query(askToAbort, [operation.id]);
}

function isOver({ numFaults, faultySeconds }: FaultsSoFar, { tries, seconds }: Patience, times: number): boolean {
  return numFaults >= times * tries && faultySeconds >= times * seconds;
}

/**
 * Errors of PostgreSQL that a retry can overcome: transaction rollbacks such as deadlocks (class 40), and unavailable
 * locks.
 */
const passing = /^(?:40...|55P03)$/;

/** Codes of a `FairSemaphore` that has no slot in time. */
const crowded: readonly AppError['code'][] = ['unavailable', 'rate_limited'];

/** Whether a later try is likely to fail as well. */
export function isPersistent(error: unknown): boolean {
  if (isUnavailable(error) || error instanceof UnknownKindError) return false;
  if (error instanceof AppError && crowded.includes(error.code)) return false;
  return !passing.test(String((error as { code?: unknown }).code));
}
