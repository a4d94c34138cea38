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
  { argument, audit, ...batch }: Batch = {},
): Promise<OperationRow | Pending> {
  const db = tenantOf(context);
  const { services, requestId, request } = context;
  const { wait, urgent, strict, respectLocks, dryRun, lang = null, onDuplicate = null } = args;
  const apiKeyId = viewerOf(context).keyId;
  const origin = { id: requestId, address: request.address };
  const rules = { strict, respectLocks: respectLocks ?? false, dryRun: dryRun ?? false, onDuplicate };
  const options = { kind, wait, urgent, ...rules, lang, apiKeyId, request: origin, audit: dryRun ? undefined : audit };
  const name = idempotencyKeyOf(args.idempotencyKey, context);
  const selection = 'said' in what ? what : null;
  if (selection !== null && name !== null) {
    // If the write is sent again, the formula may find something else by now, or may no longer be valid.
    const known = await findNamed(db, { ...options, elements: [], said: selection.said }, name);
    if (known !== null) return answerAgain(db, known, name);
  }
  const found = 'said' in what ? await what.find() : what;
  const elements = withPrecondition(found, args);
  const { numTotal = elements.length } = batch;
  const submission = { ...options, elements, numTotal, argument, ...(selection && { said: selection.said }) };
  const named = name === null ? null : await submitOnce(db, services, submission, name);
  if (name !== null && named?.isNew === false) return answerAgain(db, named, name);
  const id = named?.id ?? (await submitOperation(db, services, submission));
  request.bodyHandled();
  const ms = Math.min(Math.max(args.waitSeconds ?? waitSeconds.default, 0), waitSeconds.max) * 1000;
  if (wait && (await waitForOperation(db, services.notifications, id, { ms, signal: request.signal }))) {
    return db.prisma.operation.findFirstOrThrow({ where: { id } });
  }
  // A client that disconnected got no answer; if it repeats its request, it may wait again.
  if (name !== null && wait && !request.signal.aborted) await rememberEarlyAnswer(db, name.key);
  return pending(id, numTotal);
}

/** @throws AppError `invalid_argument` for several elements, since each has its own version. */
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

/** Returns what the first request was answered. Both kinds of answer follow from the operation, which no longer changes. */
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
