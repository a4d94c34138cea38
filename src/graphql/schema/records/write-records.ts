import type { Language, Operation as OperationRow } from '../../../../prisma/generated/client/client.ts';
import { readIfMatch, writableFieldsOf } from '../../../catalog/index.ts';
import type { FieldType, FieldValue, WriteElement } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import {
  keyInUse,
  rememberEarlyAnswer,
  submitOnce,
  submitOperation,
  waitForOperation,
  waitSeconds,
} from '../../../operations/index.ts';
import type { IdempotencyKey, Named, OnDuplicate, OperationKindName } from '../../../operations/index.ts';
import type { TenantDb } from '../../../tenants/index.ts';
import { builder, LanguageEnum } from '../builder.ts';
import { tenantOf, viewerOf } from '../context.ts';
import type { Context } from '../context.ts';
import { idempotencyKeyOf } from '../operations/idempotency.ts';
import { Operation } from '../operations/operation.ts';
import { ruleArgsOf } from './on-duplicate.ts';
import type { RecordNames } from './record.ts';

type Pending = Readonly<{ operationId: number; nTotal: number; msg: string }>;

const PendingOperation = builder.objectRef<Pending>('PendingOperation').implement({
  description: 'A write that was accepted and is not finished.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number to follow it by.' }),
    nTotal: t.exposeInt('nTotal', { description: 'Total number of elements.' }),
    msg: t.exposeString('msg', { description: 'Message.' }),
  }),
});

export const WriteResult = builder.unionType('WriteResult', {
  description: 'The operation if the caller waited and it finished, else the pending record with its number.',
  types: [Operation, PendingOperation],
  resolveType: (value) => ('operationId' in value ? PendingOperation : Operation),
});

interface RecordInputShape {
  id: string;
  unknownFields?: readonly string[] | null;
  [property: string]: FieldValue | undefined;
}

function inputType(type: FieldType): 'Boolean' | 'String' | ['String'] {
  return type === 'list' ? ['String'] : type === 'boolean' ? 'Boolean' : 'String';
}

function declareInput({ resource, type: name }: RecordNames) {
  return builder.inputRef<RecordInputShape>(`${name}Input`).implement({
    description: `${resource === 'image' ? 'An' : 'A'} ${resource} to write. In an update, an absent field keeps its value and null clears it.`,
    fields: (t) => ({
      id: t.id({ required: true, description: 'Identifier, 1 to 255 characters that are allowed in a path.' }),
      ...Object.fromEntries(
        writableFieldsOf[resource].map(({ property, type, description }) => [
          property,
          t.field({ type: inputType(type), description }),
        ]),
      ),
      unknownFields: t.stringList({
        description: 'Names of unknown fields that the caller sent; a strict operation refuses them.',
      }),
    }),
  });
}

export type WriteArgs = Readonly<{
  wait: boolean;
  waitSeconds?: number | null | undefined;
  urgent: boolean;
  strict: boolean;
  lang?: Language | null | undefined;
  onDuplicate?: OnDuplicate | null | undefined;
  idempotencyKey?: string | null | undefined;
  ifMatch?: string | null | undefined;
}>;

/** The argument that holds the elements, and what counts as elements where they are not. */
type Batch = Readonly<{ argument?: string; numTotal?: number }>;

/** Submits a write and, where the caller waits, reports the operation instead of the promise of it. */
export async function write(
  kind: OperationKindName,
  elements: readonly WriteElement[],
  args: WriteArgs,
  context: Context,
  { argument, numTotal = elements.length }: Batch = {},
): Promise<OperationRow | Pending> {
  const db = tenantOf(context);
  const { services, requestId, request } = context;
  const { wait, urgent, strict, lang = null, onDuplicate = null } = args;
  const apiKeyId = viewerOf(context).keyId;
  const origin = { id: requestId, address: request.address };
  const options = { wait, urgent, strict, lang, onDuplicate };
  const own = args.ifMatch ? withIfMatch(elements, args.ifMatch) : elements;
  const submission = { kind, elements: own, numTotal, argument, ...options, apiKeyId, request: origin };
  const name = idempotencyKeyOf(args.idempotencyKey, context);
  const named = name === null ? null : await submitOnce(db, services, submission, name);
  if (name !== null && named?.isNew === false) return answerAgain(db, named, name);
  const id = named?.id ?? (await submitOperation(db, services, submission));
  const ms = Math.min(Math.max(args.waitSeconds ?? waitSeconds.default, 0), waitSeconds.max) * 1000;
  if (wait && (await waitForOperation(db, services.notifications, id, { ms, signal: request.signal }))) {
    return db.prisma.operation.findFirstOrThrow({ where: { id } });
  }
  // Who has gone was not answered; who asks in its place may wait for the end again.
  if (name !== null && wait && !request.signal.aborted) await rememberEarlyAnswer(db, name.key);
  return pending(id, numTotal);
}

/** @throws AppError `invalid_argument` for several elements, which have a version each. */
function withIfMatch(elements: readonly WriteElement[], text: string): readonly WriteElement[] {
  if (elements.length === 1) return elements.map((element) => ({ ...element, ifMatch: readIfMatch(text) }));
  const hint = 'Write the others in separate operations';
  throw new AppError('invalid_argument', 'ifMatch takes one element', { argument: 'ifMatch', hint });
}

function pending(operationId: number, nTotal: number): Pending {
  return { operationId, nTotal, msg: `accepted; follow it as operation ${operationId}` };
}

/** What the first request was answered. Both kinds of answer follow from the operation, which does not change any more. */
async function answerAgain(db: TenantDb, named: Named, { key }: IdempotencyKey): Promise<OperationRow | Pending> {
  const { id, numTotal, isAnsweredEarly, isFinished } = named;
  if (isAnsweredEarly) return pending(id, numTotal);
  if (!isFinished) throw keyInUse(key);
  return db.prisma.operation.findFirstOrThrow({ where: { id } });
}

function toElement({ id, unknownFields, ...values }: RecordInputShape): WriteElement {
  return { id, values, ...(unknownFields?.length ? { unknownFields } : {}) };
}

/** Arguments that every write has. */
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
  idempotencyKey: t.string({
    description:
      'A key of your choice for this write: if it is sent again with the same key within 24 hours, the stored reply is returned ' +
      'and nothing is written again. For a document with one write, the header `Idempotency-Key` has the same effect.',
  }),
}));

/** Arguments of writes to records that are there. */
const matchArgs = builder.args((t) => ({
  ifMatch: t.string({
    description:
      'The required `version` of the record, or `*` for any. Otherwise the write of this record fails with ' +
      '`precondition_failed`. Several are separated by commas, each in quotes.',
  }),
}));

/** The fields at the root of the schema that write a kind of record. */
export function declareWrites(names: RecordNames): void {
  const { resource, type: name, many, scope } = names;
  const Input = declareInput(names);
  const elementArgs = builder.args((t) => ({
    [many]: t.field({ type: [Input], required: true, description: `The ${many}, 1 to 10 000.` }),
  }));
  const textArgs = builder.args((t) => ({
    lang: t.field({ type: LanguageEnum, description: 'Language of the texts; default for new records: Spanish.' }),
    ...ruleArgsOf(resource),
  }));
  /** The elements are an argument that is named after them, which types cannot see. */
  const elementsOf = (args: Readonly<Record<string, unknown>>) => (args[many] as RecordInputShape[]).map(toElement);
  const one = `${resource}s` as const;

  builder.mutationFields((t) => ({
    [`create${name}s`]: t.field({
      type: WriteResult,
      description: `Creates ${many}. An element whose id exists fails with \`already_exists\`.`,
      args: { ...elementArgs, ...textArgs, ...writeArgs },
      authScopes: { scope },
      resolve: (_root, args, context) => write(`${one}.create`, elementsOf(args), args, context, { argument: many }),
    }),
    [`replace${name}s`]: t.field({
      type: WriteResult,
      description: `Replaces ${many} completely: absent fields are cleared.`,
      args: {
        ...elementArgs,
        ...textArgs,
        ...matchArgs,
        ...writeArgs,
        upsert: t.arg.boolean({ defaultValue: false, required: true, description: 'Create missing records.' }),
      },
      authScopes: { scope },
      resolve: (_root, args, context) =>
        // What must be there is not created.
        write(args.upsert && !args.ifMatch ? `${one}.upsert` : `${one}.replace`, elementsOf(args), args, context, {
          argument: many,
        }),
    }),
    [`update${name}s`]: t.field({
      type: WriteResult,
      description: 'Changes the fields that are sent and keeps the others.',
      args: { ...elementArgs, ...textArgs, ...matchArgs, ...writeArgs },
      authScopes: { scope },
      resolve: (_root, args, context) => write(`${one}.update`, elementsOf(args), args, context, { argument: many }),
    }),
    [`delete${name}s`]: t.field({
      type: WriteResult,
      description: `Deletes ${many}.`,
      args: {
        ids: t.arg.idList({ required: true, description: 'Their ids, 1 to 10 000.' }),
        ...matchArgs,
        ...writeArgs,
      },
      authScopes: { scope },
      resolve: (_root, { ids, ...args }, context) => {
        const elements = ids.map((id) => ({ id, values: {} }));
        return write(`${one}.delete`, elements, args, context, { argument: 'ids' });
      },
    }),
  }));
}
