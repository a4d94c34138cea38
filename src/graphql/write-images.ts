import type { Language, Operation as OperationRow } from '../../prisma/generated/client/client.ts';
import { writableImageFields } from '../catalog/index.ts';
import type { FieldType, FieldValue, WriteElement } from '../catalog/index.ts';
import {
  keyInUse,
  rememberEarlyAnswer,
  submitOnce,
  submitOperation,
  waitForOperation,
  waitSeconds,
} from '../operations/index.ts';
import type { IdempotencyKey, Named, OperationKindName } from '../operations/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { builder, LanguageEnum } from './builder.ts';
import { tenantOf, viewerOf } from './context.ts';
import type { Context } from './context.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { Operation } from './operation.ts';

type Pending = Readonly<{ operationId: number; nTotal: number; msg: string }>;

const PendingOperation = builder.objectRef<Pending>('PendingOperation').implement({
  description: 'A write that is accepted and has not ended yet.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number to follow it by.' }),
    nTotal: t.exposeInt('nTotal', { description: 'Elements in all.' }),
    msg: t.exposeString('msg', { description: 'What happens now, for people.' }),
  }),
});

export const WriteResult = builder.unionType('WriteResult', {
  description: 'The operation when the caller waited for its end, else the pending record.',
  types: [Operation, PendingOperation],
  resolveType: (value) => ('operationId' in value ? PendingOperation : Operation),
});

interface ImageInputShape {
  id: string;
  unknownFields?: readonly string[] | null;
  [property: string]: FieldValue | undefined;
}

function inputType(type: FieldType): 'Boolean' | 'String' | ['String'] {
  return type === 'list' ? ['String'] : type === 'boolean' ? 'Boolean' : 'String';
}

const ImageInput = builder.inputRef<ImageInputShape>('ImageInput').implement({
  description: 'An image to write. In an update a field that is absent keeps its value and null clears it.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Identifier, 1 to 255 characters.' }),
    ...Object.fromEntries(
      writableImageFields.map(({ property, type, description }) => [
        property,
        t.field({ type: inputType(type), description }),
      ]),
    ),
    unknownFields: t.stringList({
      description: 'Names of fields that the caller sent beyond these; a strict operation refuses them.',
    }),
  }),
});

export type WriteArgs = Readonly<{
  wait: boolean;
  waitSeconds?: number | null | undefined;
  urgent: boolean;
  strict: boolean;
  lang?: Language | null | undefined;
  idempotencyKey?: string | null | undefined;
}>;

/** Submits a write and, where the caller waits, reports the operation instead of the promise of it. */
export async function write(
  kind: OperationKindName,
  elements: readonly WriteElement[],
  args: WriteArgs,
  context: Context,
): Promise<OperationRow | Pending> {
  const db = tenantOf(context);
  const { services, requestId, request } = context;
  const { wait, urgent, strict, lang = null } = args;
  const apiKeyId = viewerOf(context).keyId;
  const origin = { id: requestId, address: request.address };
  const submission = { kind, elements, wait, urgent, strict, lang, apiKeyId, request: origin };
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
  return pending(id, elements.length);
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

function toElement({ id, unknownFields, ...values }: ImageInputShape): WriteElement {
  return { id, values, ...(unknownFields?.length ? { unknownFields } : {}) };
}

/** Arguments that every write has. */
export const writeArgs = builder.args((t) => ({
  wait: t.boolean({ defaultValue: false, required: true, description: 'Wait until the operation has ended.' }),
  waitSeconds: t.int({ description: 'How long to wait at most: 30 seconds by default, up to 120.' }),
  urgent: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Go before operations that have not started.',
  }),
  strict: t.boolean({ defaultValue: false, required: true, description: 'Store all elements or none.' }),
  idempotencyKey: t.string({
    description:
      'A name of your choice for this write: sent again under the same name within 24 hours it is answered again ' +
      'and not applied again. The header `Idempotency-Key` says the same for a document with one write.',
  }),
}));

const textArgs = builder.args((t) => ({
  images: t.field({ type: [ImageInput], required: true, description: 'The images, 1 to 10 000.' }),
  lang: t.field({ type: LanguageEnum, description: 'Language of the texts; new records are Spanish without it.' }),
}));

builder.mutationFields((t) => ({
  createImages: t.field({
    type: WriteResult,
    description: 'Creates images. An element whose id exists fails with `already_exists`.',
    args: { ...textArgs, ...writeArgs },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { images, ...args }, context) => write('images.create', images.map(toElement), args, context),
  }),
  replaceImages: t.field({
    type: WriteResult,
    description: 'Replaces images completely: a field that is absent is cleared.',
    args: {
      ...textArgs,
      ...writeArgs,
      upsert: t.arg.boolean({ defaultValue: false, required: true, description: 'Create those that are missing.' }),
    },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { images, upsert, ...args }, context) =>
      write(upsert ? 'images.upsert' : 'images.replace', images.map(toElement), args, context),
  }),
  updateImages: t.field({
    type: WriteResult,
    description: 'Changes the fields that are sent and keeps the others.',
    args: { ...textArgs, ...writeArgs },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { images, ...args }, context) => write('images.update', images.map(toElement), args, context),
  }),
  deleteImages: t.field({
    type: WriteResult,
    description: 'Deletes images.',
    args: { ids: t.arg.idList({ required: true, description: 'Their ids, 1 to 10 000.' }), ...writeArgs },
    authScopes: { scope: 'imgs:write' },
    resolve: (_root, { ids, ...args }, context) =>
      write(
        'images.delete',
        ids.map((id) => ({ id, values: {} })),
        args,
        context,
      ),
  }),
}));
