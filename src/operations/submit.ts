import type { Language } from '../../prisma/generated/client/enums.ts';
import type { Queryable, TurnQueue } from '../backing/index.ts';
import type { WriteElement } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { TenantDb } from '../tenants/index.ts';
import { operationKinds } from './kinds.ts';
import type { OperationKindName } from './kinds.ts';
import { chunkSize, maxElements } from './limits.ts';
import { acceptOperation } from './statements.ts';

export type Submission = Readonly<{
  kind: OperationKindName;
  elements: readonly WriteElement[];
  wait: boolean;
  urgent: boolean;
  strict: boolean;
  /** Language of the texts, where the caller stated it. */
  lang: Language | null;
  /** Key that asked for it; null from the command line. */
  apiKeyId: number | null;
  /** The request that brought it, for the audit trail; none from the command line. */
  request?: Readonly<{ id: string; address: string | null }>;
}>;

/** An element as it waits in the payload. */
export type StoredElement = WriteElement & Readonly<{ isDuplicate?: true }>;

export type SubmitDeps = Readonly<{ queue: TurnQueue; logger: Logger }>;

/**
 * Accepts a write: stores it as a whole, then calls a worker. When the call is lost the workers'
 * sweep finds the operation, so from here on it will be applied.
 *
 * @returns the operation's id.
 * @throws AppError `invalid_argument` for no elements or too many.
 */
export async function submitOperation(db: TenantDb, deps: SubmitDeps, submission: Submission): Promise<number> {
  const id = await storeOperation(db, submission);
  callWorker(db, deps, id, submission);
  return id;
}

/** Stores a write as a whole. @throws AppError `invalid_argument` for no elements or too many. */
export async function storeOperation(
  db: TenantDb,
  { kind, elements, wait, urgent, strict, lang, apiKeyId, request }: Submission,
  client?: Queryable,
): Promise<number> {
  checkSize(elements.length);
  const { method, resource } = operationKinds[kind];
  const payload = JSON.stringify(intoChunks(markDuplicates(elements)));
  const { id: requestId = null, address = null } = request ?? {};
  const values = [apiKeyId, kind, method, resource, elements.length, wait, urgent, strict, lang, payload];
  const { rows } = await db.query<{ id: number }>(acceptOperation, [...values, requestId, address], client);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('the database returned no operation id');
  return id;
}

/** Tells a worker that there is something to do, once that can be seen by it. Not waited for: it is safe already. */
export function callWorker(
  { tenantId }: TenantDb,
  { queue, logger }: SubmitDeps,
  id: number,
  { urgent }: Submission,
): void {
  queue.call({ tenantId }, { urgent }).catch((error: unknown) => {
    logger.warn({ operation: id, error: String(error) }, 'the queue is away; the sweep will find the operation');
  });
}

function checkSize(count: number): void {
  if (count === 0) {
    throw new AppError('invalid_argument', 'List should have at least 1 item after validation, not 0', {
      type: 'too_short',
      context: { field_type: 'List', min_length: 1, actual_length: 0 },
    });
  }
  if (count > maxElements) {
    throw new AppError(
      'invalid_argument',
      `List should have at most ${maxElements} items after validation, not ${count}`,
      {
        type: 'too_long',
        context: { field_type: 'List', max_length: maxElements, actual_length: count },
      },
    );
  }
}

/** Of several elements with one id the first counts; this needs the whole batch, so it is done here. */
function markDuplicates(elements: readonly WriteElement[]): StoredElement[] {
  const seen = new Set<string>();
  return elements.map((element) => {
    if (seen.has(element.id)) return { ...element, isDuplicate: true };
    seen.add(element.id);
    return element;
  });
}

function intoChunks<T>(elements: readonly T[]): T[][] {
  const count = Math.ceil(elements.length / chunkSize);
  return Array.from({ length: count }, (_, i) => elements.slice(i * chunkSize, (i + 1) * chunkSize));
}
