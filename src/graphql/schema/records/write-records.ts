import type { Language, Operation as OperationRow } from '../../../../prisma/generated/client/client.ts';
import { readIfMatch, readIfNoneMatch } from '../../../catalog/index.ts';
import type { WriteElement } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import {
  findNamed,
  keyInUse,
  rememberEarlyAnswer,
  submitOnce,
  submitOperation,
  waitForOperation,
  waitSeconds,
} from '../../../operations/index.ts';
import type {
  IdempotencyKey,
  KeyedOperation,
  OnDuplicate,
  OperationKindName,
  Submission,
} from '../../../operations/index.ts';
import type { TenantDb } from '../../../tenants/index.ts';
import { builder } from '../builder.ts';
import { tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';
import { idempotencyKeyOf } from '../operations/idempotency.ts';
import { Operation } from '../operations/operation.ts';
import type { Selection } from './selection.ts';

type Pending = Readonly<{ operationId: number; nTotal: number; msg: string }>;

const PendingOperation = builder.objectRef<Pending>('PendingOperation').implement({
  description: 'A write that was accepted but is not finished.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number by which to follow it.' }),
    nTotal: t.exposeInt('nTotal', { description: 'Total number of elements.' }),
    msg: t.exposeString('msg', { description: 'Message.' }),
  }),
});

export const WriteResult = builder.unionType('WriteResult', {
  description: 'The operation if the caller waited and it finished, else the pending record with its number.',
  types: [Operation, PendingOperation],
  resolveType: (value) => ('operationId' in value ? PendingOperation : Operation),
});

type WriteArgs = Readonly<{
  wait: boolean;
  waitSeconds?: number | null | undefined;
  urgent: boolean;
  strict: boolean;
  respectLocks?: boolean | null | undefined;
  dryRun?: boolean | null | undefined;
  lang?: Language | null | undefined;
  onDuplicate?: OnDuplicate | null | undefined;
  idempotencyKey?: string | null | undefined;
  ifMatch?: string | null | undefined;
  ifNoneMatch?: string | null | undefined;
}>;

/** The argument that contains the elements, and the number that counts as total if that is not their number. */
type Batch = Readonly<{ argument?: string; numTotal?: number; audit?: Submission['audit'] }>;

/** Submits a write. If the caller waits, returns the finished operation instead of the pending one. */
export async function write(
  kind: OperationKindName,
  what: readonly WriteElement[] | Selection,
  args: WriteArgs,
  context: Context,
  { argument, numTotal, audit }: Batch = {},
): Promise<OperationRow | Pending> {
  const db = tenantOf(context);
  const options = submissionOptions(kind, args, context, audit);
  const key = idempotencyKeyOf(args.idempotencyKey, context);
  const selection = 'said' in what ? { said: what.said } : {};
  if ('said' in what && key !== null) {
    // If the write is sent again, the formula may find something else by now, or may no longer be valid.
    const known = await findNamed(db, { ...options, ...selection, elements: [] }, key);
    if (known !== null) return answerAgain(db, known, key);
  }
  const elements = withPrecondition('said' in what ? await what.find() : what, args);
  const total = numTotal ?? elements.length;
  const submission = { ...options, ...selection, elements, numTotal: total, argument };
  if (key === null) {
    return answer({ id: await submitOperation(db, context.services, submission), total, key }, args, context);
  }
  const named = await submitOnce(db, context.services, submission, key);
  return named.isNew ? answer({ id: named.id, total, key }, args, context) : answerAgain(db, named, key);
}

function submissionOptions(
  kind: OperationKindName,
  { wait, urgent, strict, respectLocks, dryRun, lang = null, onDuplicate = null }: WriteArgs,
  context: Context,
  audit: Submission['audit'],
) {
  const { requestId, request } = context;
  return {
    kind,
    wait,
    urgent,
    strict,
    respectLocks: respectLocks ?? false,
    dryRun: dryRun ?? false,
    onDuplicate,
    lang,
    apiKeyId: viewerOf(context).keyId,
    request: { id: requestId, address: request.address },
    audit: dryRun ? undefined : audit,
  };
}

type Accepted = Readonly<{ id: number; total: number; key: IdempotencyKey | null }>;

/** Answers an accepted write, after its end if the caller waits for that. */
async function answer(
  { id, total, key }: Accepted,
  { wait, waitSeconds: seconds }: WriteArgs,
  context: Context,
): Promise<OperationRow | Pending> {
  const { services, request } = context;
  request.bodyHandled();
  if (!wait) return pending(id, total);
  const db = tenantOf(context);
  const ms = Math.min(Math.max(seconds ?? waitSeconds.default, 0), waitSeconds.max) * 1000;
  if (await waitForOperation(db, services.notifications, id, { ms, signal: request.signal })) {
    return db.prisma.operation.findFirstOrThrow({ where: { id } });
  }
  // A client that disconnected got no answer; if it repeats its request, it may wait again.
  if (key !== null && !request.signal.aborted) await rememberEarlyAnswer(db, key.key);
  return pending(id, total);
}

/** @throws AppError `invalid_argument` for several elements, since each would need its own version. */
function withPrecondition(
  elements: readonly WriteElement[],
  { ifMatch: matching, ifNoneMatch: absent }: WriteArgs,
): readonly WriteElement[] {
  const isMatch = typeof matching === 'string';
  if (!isMatch && typeof absent !== 'string') return elements;
  if (isMatch && typeof absent === 'string')
    throw new AppError('invalid_argument', 'No record meets ifMatch and ifNoneMatch', { argument: 'ifNoneMatch' });
  const argument = isMatch ? 'ifMatch' : 'ifNoneMatch';
  if (elements.length !== 1) {
    const hint = 'Write the others in separate operations';
    throw new AppError('invalid_argument', `${argument} requires exactly one element`, { argument, hint });
  }
  const ifMatch = isMatch ? readIfMatch(matching) : readIfNoneMatch(absent ?? '');
  return elements.map((element) => ({ ...element, ifMatch }));
}

function pending(operationId: number, nTotal: number): Pending {
  return { operationId, nTotal, msg: `accepted; follow it as operation ${operationId}` };
}

/** Repeats the answer to the first request. Both kinds of answer follow from the operation, which no longer changes. */
async function answerAgain(
  db: TenantDb,
  named: KeyedOperation,
  { key }: IdempotencyKey,
): Promise<OperationRow | Pending> {
  const { id, numTotal, isAnsweredEarly, isFinished, isOverdue } = named;
  if (!isAnsweredEarly && !isFinished) {
    if (!isOverdue) throw keyInUse(key);
    await rememberEarlyAnswer(db, key);
  }
  if (isAnsweredEarly || !isFinished) return pending(id, numTotal);
  return db.prisma.operation.findFirstOrThrow({ where: { id } });
}

/** The arguments of every write. */
export const writeArgs = builder.args((t) => ({
  wait: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Wait until the operation is finished.',
  }),
  waitSeconds: t.int({ description: 'Maximum time to wait: 30 seconds by default, up to 120.' }),
  urgent: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Run before operations that have not started.',
  }),
  strict: t.boolean({ defaultValue: false, required: true, description: 'Store all elements or none.' }),
  dryRun: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Store nothing: the operation reports what the write would do, in its counters, errors and changes.',
  }),
  idempotencyKey: t.string({
    description:
      'A key of your choice for this write: if it is sent again with the same key within 24 hours, the stored reply is returned ' +
      'and nothing is written again. The header `Idempotency-Key` has the same effect on each write of the document.',
  }),
}));
