import type { Language } from '../../prisma/generated/client/enums.ts';
import type { Queryable, TurnQueue } from '../backing/index.ts';
import type { WriteElement } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { counter } from '../metrics/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { describeSpan } from '../tracing.ts';
import type { OnDuplicate } from './duplicates/on-duplicate.ts';
import { operationKinds } from './kinds.ts';
import type { OperationKindName } from './kinds.ts';
import { chunkSize, maxElements } from './limits.ts';
import { acceptOperations } from './statements.ts';

export type Submission = Readonly<{
  kind: OperationKindName;
  elements: readonly WriteElement[];
  /** What counts as elements, where these are not. */
  numTotal?: number;
  /** How the caller names the elements, for a fault of their number. */
  argument?: string | undefined;
  wait: boolean;
  urgent: boolean;
  strict: boolean;
  /** Language of the texts, where the caller stated it. */
  lang: Language | null;
  /** What is done with pictures that are there already, where the caller stated it. */
  onDuplicate?: OnDuplicate | null;
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
export async function storeOperation(db: TenantDb, submission: Submission, client?: Queryable): Promise<number> {
  checkSize(submission);
  const accepting = toAccepting(submission);
  const isAlone = client !== undefined || accepting.chunks.length > gatheredUpTo;
  const id = isAlone
    ? (await accept(db, [accepting], client)).get(accepting)
    : await db.gather('accept', accepting, (several) => accept(db, several));
  if (id === undefined) throw new Error('the database returned no operation id');
  return id;
}

/** A write and the chunks of its payload as the statement reads them, as JSON. */
type Accepting = Readonly<{ operation: string; chunks: string }>;

/** Longer ones go alone: several of them would be one very long parameter. */
const gatheredUpTo = 64 * 1024;

function toAccepting({ kind, elements, wait, urgent, strict, lang, apiKeyId, request, ...own }: Submission): Accepting {
  const { method, resource } = operationKinds[kind];
  const operation = {
    api_key_id: apiKeyId,
    kind,
    method,
    resource,
    num_total: own.numTotal ?? elements.length,
    do_wait: wait,
    do_urgent: urgent,
    do_strict: strict,
    lang,
    on_duplicate: own.onDuplicate,
    request_id: request?.id,
    address: request?.address,
  };
  return { operation: JSON.stringify(operation), chunks: JSON.stringify(intoChunks(markDuplicates(elements))) };
}

async function accept(
  db: TenantDb,
  several: readonly Accepting[],
  client?: Queryable,
): Promise<ReadonlyMap<Accepting, number>> {
  const operations = `[${several.map(({ operation }) => operation).join(',')}]`;
  const chunks = `[${several.map((each) => each.chunks).join(',')}]`;
  const { rows } = await db.query<{ id: number }>(acceptOperations, [operations, chunks], client);
  return new Map(rows.flatMap(({ id }, i) => several.slice(i, i + 1).map((each) => [each, id] as const)));
}

/** Counts a write and tells a worker that there is something to do, once that can be seen by it. Not waited for: it is safe already. */
export function callWorker(
  { tenantId }: TenantDb,
  { queue, logger }: SubmitDeps,
  id: number,
  { kind, elements, urgent, request }: Submission,
): void {
  counter('operations_accepted_total', { kind }).add();
  const accepted = { operationId: id, tenantId, requestId: request?.id, kind, elements: elements.length };
  logger.info(accepted, 'operation accepted');
  describeSpan({ 'vitrine.operation_id': id });
  queue.call({ tenantId }, { urgent }).catch((error: unknown) => {
    logger.warn({ operationId: id, error: String(error) }, 'the queue is away; the sweep will find the operation');
  });
}

function checkSize({ elements: { length: count }, argument }: Submission): void {
  const named = { ...(argument !== undefined && { argument }), hint: `Send 1 to ${maxElements} at once` };
  if (count === 0) {
    throw new AppError('invalid_argument', 'List should have at least 1 item after validation, not 0', {
      type: 'too_short',
      context: { field_type: 'List', min_length: 1, actual_length: 0 },
      ...named,
    });
  }
  if (count > maxElements) {
    throw new AppError(
      'invalid_argument',
      `List should have at most ${maxElements} items after validation, not ${count}`,
      {
        type: 'too_long',
        context: { field_type: 'List', max_length: maxElements, actual_length: count },
        ...named,
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
