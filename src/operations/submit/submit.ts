import type { Language } from '../../../prisma/generated/client/enums.ts';
import { binaryArray } from '../../backing/index.ts';
import type { Queryable, TenantQueue } from '../../backing/index.ts';
import type { WriteElement } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { isUploadPath, keepUploads } from '../../uploads/index.ts';
import { counter } from '../../observability/metrics/index.ts';
import type { AuditAction, TenantDb } from '../../tenants/index.ts';
import { describeSpan } from '../../observability/tracing.ts';
import type { OnDuplicate } from '../duplicates/on-duplicate.ts';
import { operationKinds, taskOf } from '../kinds.ts';
import type { OperationKindName } from '../kinds.ts';
import { maxExported } from '../limits.ts';
import { maxElements } from '../max-elements.ts';
import { checkPrecondition } from '../store/precondition.ts';
import { cacheElements } from '../store/element-cache.ts';
import { writePayload } from '../store/payload.ts';
import type { Payload } from '../store/payload.ts';
import { acceptOperations } from '../statements.ts';
import { warningsOf } from './warnings.ts';

export type Submission = Readonly<{
  kind: OperationKindName;
  elements: readonly WriteElement[];
  /** For a write by formula: the formula and the values to write. */
  said?: readonly unknown[];
  /** The number of elements, if it is not the length of the list. */
  numTotal?: number;
  /** What the caller calls the list of elements, for errors about its length. */
  argument?: string | undefined;
  wait: boolean;
  urgent: boolean;
  strict: boolean;
  /** Whether locked fields keep their values. */
  respectLocks?: boolean | undefined;
  /** Whether it is a dry run. */
  dryRun?: boolean | undefined;
  /** Language of the texts, if the caller stated it. */
  lang: Language | null;
  /** The policy for pictures that are already stored, if the caller set it. */
  onDuplicate?: OnDuplicate | null;
  /** API key of the caller; null from the command line. */
  apiKeyId: number | null;
  /** The request, for the audit trail; none from the command line. */
  request?: Readonly<{ id: string; address: string | null }>;
  /** Its own entry in the audit trail, if it needs one. */
  audit?: Readonly<{ action: AuditAction; subject: string }> | undefined;
}>;

export type SubmitDeps = Readonly<{ queue: TenantQueue; logger: Logger }>;

/**
 * Accepts a write: stores all of it, then calls a worker. Should the call get lost, the workers' sweep finds the
 * operation, so from here on it is certain to be applied.
 *
 * @returns the operation's id.
 * @throws AppError `invalid_argument` for no elements or too many, `precondition_failed` if a condition is certain to
 * fail.
 */
export async function submitOperation(db: TenantDb, deps: SubmitDeps, submission: Submission): Promise<number> {
  await checkPrecondition(db, submission);
  const prepared = await prepareOperation(db, submission);
  const id = await storeOperation(db, prepared);
  callWorker(db, deps, { id, prepared, submission });
  return id;
}

/** The operation as JSON, for the statement that accepts it, and its elements. */
type PreparedOperation = Readonly<{ operation: string; payload: Payload }>;

/** Stores a write: in one statement with others of the tenant, or with the client of a transaction. */
export async function storeOperation(db: TenantDb, prepared: PreparedOperation, client?: Queryable): Promise<number> {
  const isAlone = client !== undefined || prepared.payload.bytes > maxBatchedLength;
  const id = isAlone
    ? (await accept(db, [prepared], client)).get(prepared)
    : await db.batchLoad('accept', prepared, (several) => accept(db, several));
  if (id === undefined) throw new Error('the database returned no operation id');
  return id;
}

/** Longer writes are stored on their own: several of them would make one very long parameter. */
const maxBatchedLength = 64 * 1024;

/**
 * Prepares a submission for storing. From then on, the uploaded files that it refers to are kept.
 *
 * @throws AppError `invalid_argument` for no elements or too many.
 */
export async function prepareOperation(db: TenantDb, submission: Submission): Promise<PreparedOperation> {
  const { kind, elements, argument } = submission;
  checkCount(kind, elements.length, argument);
  await keepUploads(db, uploadsIn(submission.elements));
  return { operation: writeOperation(submission), payload: await writePayload(submission.elements) };
}

function writeOperation({ kind, elements, wait, urgent, strict, lang, apiKeyId, request, ...own }: Submission): string {
  const { method, resource } = operationKinds[kind];
  const warnings = strict ? [] : warningsOf(elements); // Strict operations fail with their own messages.
  const operation = {
    api_key_id: apiKeyId,
    kind,
    method,
    resource,
    num_total: own.numTotal ?? elements.length,
    do_wait: wait,
    do_urgent: urgent,
    do_strict: strict,
    do_respect_locks: own.respectLocks ?? false,
    is_dry_run: own.dryRun ?? false,
    lang,
    on_duplicate: own.onDuplicate,
    request_id: request?.id,
    address: request?.address,
    audit_action: own.audit?.action,
    audit_subject: own.audit?.subject,
    ...(warnings.length > 0 && { warnings }),
  };
  return JSON.stringify(operation);
}

async function accept(
  db: TenantDb,
  several: readonly PreparedOperation[],
  client?: Queryable,
): Promise<ReadonlyMap<PreparedOperation, number>> {
  const operations = `[${several.map(({ operation }) => operation).join(',')}]`;
  const chunks = several.flatMap((each, place) =>
    each.payload.chunks.map((chunk, number) => ({ chunk, place: place + 1, number })),
  );
  const payload = [
    binaryArray('json', chunks.map(({ chunk }) => chunk)),
    binaryArray('int4', chunks.map(({ place }) => place)),
    binaryArray('int4', chunks.map(({ number }) => number)),
  ]; // prettier-ignore
  const { rows } = await db.query<{ id: number }>(acceptOperations, [operations, ...payload], client);
  return new Map(rows.flatMap(({ id }, i) => several.slice(i, i + 1).map((each) => [each, id] as const)));
}

/** A write whose transaction has committed. */
type Accepted = Readonly<{ id: number; prepared: PreparedOperation; submission: Submission }>;

/**
 * Counts a write and calls a worker. Only after the commit: the id of a write that is rolled back goes to the next
 * one. Not awaited, because the write is safe already.
 */
export function callWorker(
  db: TenantDb,
  { queue, logger }: SubmitDeps,
  { id, prepared: { payload }, submission: { kind, elements, urgent, request } }: Accepted,
): void {
  const { tenantId } = db;
  cacheElements(db, id, payload.elements, payload.bytes);
  counter('operations_accepted_total', { kind }).add();
  const accepted = { operationId: id, tenantId, requestId: request?.id, kind, elements: elements.length };
  logger.info(accepted, 'operation accepted');
  describeSpan({ 'vitrine.operation_id': id });
  queue.call({ tenantId }, { urgent }).catch((error: unknown) => {
    logger.warn(
      { operationId: id, error: String(error) },
      'the queue is unavailable; the sweep will find the operation',
    );
  });
}

function uploadsIn(elements: readonly WriteElement[]): string[] {
  return elements.flatMap(({ values: { srcPath } }) =>
    typeof srcPath === 'string' && isUploadPath(srcPath) ? [srcPath] : [],
  );
}

/** Checks how many elements a write has. @throws AppError `invalid_argument` for none or too many. */
export function checkCount(kind: OperationKindName, count: number, argument: string | undefined): void {
  if (operationKinds[kind].action === 'revert') return; // As many as the operation changed, directly or as a consequence.
  const most = taskOf(kind) === 'export' ? maxExported : maxElements;
  const named = { ...(argument !== undefined && { argument }), hint: `Send 1 to ${most} elements in one request` };
  if (count === 0) {
    throw new AppError('invalid_argument', 'List should have at least 1 item after validation, not 0', {
      type: 'too_short',
      context: { field_type: 'List', min_length: 1, actual_length: 0 },
      ...named,
    });
  }
  if (count > most) {
    throw new AppError('invalid_argument', `List should have at most ${most} items after validation, not ${count}`, {
      type: 'too_long',
      context: { field_type: 'List', max_length: most, actual_length: count },
      ...named,
    });
  }
}
