import { submitOperation } from '../../operations/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { createAliveCheck } from '../alive-check.ts';
import { InterruptedError } from '../interrupt.ts';
import type { Session } from '../session.ts';
import { waitForStage } from '../stages.ts';
import type { Stages } from '../stages.ts';
import { withWorker } from '../with-worker.ts';

type Submission = Parameters<typeof submitOperation>[2];

/** A write that a command submits, without an API key and not urgent. */
type CommandWrite = Pick<Submission, 'kind' | 'elements'> & Partial<Pick<Submission, 'strict' | 'dryRun' | 'audit'>>;

/** An element that failed. */
type FailedElement = Readonly<{ ref: string; code: string; message: string }>;

/**
 * Submits a write and waits until everything is stored; starts its own worker if none is running.
 *
 * @throws InterruptedError if the signal fires before.
 */
export async function runWrite(
  session: Session,
  db: TenantDb,
  write: CommandWrite,
  signal: AbortSignal,
): Promise<Readonly<{ id: number; errors: readonly FailedElement[] }>> {
  const { backing, logger } = session;
  const flags = { wait: true, urgent: false, strict: false, lang: null, apiKeyId: null };
  const id = await submitOperation(db, { queue: backing.queue, logger }, { ...flags, ...write });
  const checkAlive = createAliveCheck(backing);
  const onStages = async (now: Stages) => {
    if (!now.isStored) await checkAlive(now.stored + now.failed);
  };
  const { isStored } = await withWorker(session, { analyses: false }, () =>
    waitForStage(db, [BigInt(id)], 'isStored', { signal, onStages }),
  );
  if (!isStored)
    throw new InterruptedError(`Interrupted: operation ${id} is not finished. It continues when the service runs.`);
  const errors = await db.prisma.operationError.findMany({
    where: { operationId: id },
    select: { ref: true, code: true, message: true },
    orderBy: { position: 'asc' },
  });
  return { id, errors };
}

/** Formats the failed elements as lines of a command's output. */
export function failureLines(errors: readonly FailedElement[]): string[] {
  return errors.map(({ ref, code, message }) => `  ${ref}  ${code}: ${message}`);
}
