import { schemaName } from './contract.ts';
import type { BodyFieldType, WriteField } from './contract.ts';
import type { ExampleId, Method, Parameter, ServedEndpoint } from './endpoint.ts';
import { boolean, listOf, objectOf, string } from './types.ts';
import type { Field, ValueType } from './types.ts';
import { idempotencyKey, ifMatch, onDuplicate, pathId, upsert, writeFlags, writeLang } from './parameters.ts';

/** The writes of a resource, for images and videos alike: one record at a time, or a batch. */

export type WriteKind = 'create' | 'replace' | 'update' | 'delete';

/** What a request to one of the writes looks like. */
export type WriteRequest = Readonly<{ kind: WriteKind }> &
  Pick<ServedEndpoint, 'method' | 'path' | 'summary' | 'scope' | 'parameters' | 'body'>;

export type WrittenResource = Readonly<{
  /** The path of the batch. */
  path: string;
  idParameter: string;
  exampleId: ExampleId;
  one: string;
  many: string;
  scope: string;
  fields: readonly WriteField[];
  /** Whether pictures that are there already can be flagged or rejected. */
  comparesPictures: boolean;
}>;

const maxBatch = 10_000;
const batch = { min: 1, max: maxBatch };

const types: Readonly<Record<BodyFieldType, ValueType>> = { string, boolean, strings: listOf(string) };

const kinds: Readonly<Record<WriteKind, { method: Method; verb: string; parameters: readonly Parameter[] }>> = {
  create: { method: 'POST', verb: 'Create', parameters: [writeLang] },
  replace: { method: 'PUT', verb: 'Completely replace', parameters: [writeLang, upsert] },
  update: { method: 'PATCH', verb: 'Change the fields sent of', parameters: [writeLang] },
  delete: { method: 'DELETE', verb: 'Delete', parameters: [] },
};
const all = ['create', 'replace', 'update', 'delete'] as const;

/** `POST`, `PUT`, `PATCH` and `DELETE` of one record. */
export function singleWrites({
  path,
  idParameter,
  one,
  scope,
  fields,
  comparesPictures,
  exampleId,
}: WrittenResource): WriteRequest[] {
  const type = objectOf(toFields(fields));
  return all.map((kind) => {
    const { method, verb, parameters } = kinds[kind];
    return {
      kind,
      method,
      path: `${path}/{${idParameter}}`,
      summary: `${verb} one ${one}`,
      scope,
      parameters: [
        pathId(idParameter, `Identifier of the ${one}.`, kind === 'delete' ? 'ids' : 'id', exampleId),
        ...writeFlags,
        ...parameters,
        ...ruleOf(kind, comparesPictures),
        idempotencyKey,
        ...(kind === 'create' ? [] : [ifMatch]),
      ],
      ...(kind !== 'delete' && { body: { kind: 'json', type, description: `Fields of the ${one}.` } }),
    };
  });
}

/** The same of a batch, and `POST …/delete` for clients behind proxies that strip the bodies of DELETE. */
export function batchWrites({ path, one, many, scope, fields, comparesPictures }: WrittenResource): WriteRequest[] {
  const id: Field = { name: 'id', type: string, required: true, description: `Identifier of the ${one}.` };
  const elements = listOf(objectOf([id, ...toFields(fields)]), batch);
  const ids = listOf(objectOf([id]), batch);
  const write = (kind: WriteKind, method: Method, at: string): WriteRequest => ({
    kind,
    method,
    path: at,
    summary: `${kinds[kind].verb} ${many}`,
    scope,
    parameters: [...writeFlags, ...kinds[kind].parameters, ...ruleOf(kind, comparesPictures), idempotencyKey],
    body:
      kind === 'delete'
        ? { kind: 'json', type: ids, description: `The ${many} to delete.` }
        : { kind: 'json', type: elements, description: `The ${many}, each with its \`id\`.` },
  });
  return [...all.map((kind) => write(kind, kinds[kind].method, path)), write('delete', 'POST', `${path}/delete`)];
}

function ruleOf(kind: WriteKind, comparesPictures: boolean): Parameter[] {
  return comparesPictures && kind !== 'delete' ? [onDuplicate] : [];
}

function toFields(fields: WrittenResource['fields']): Field[] {
  return fields.map(({ name, type, description }) => ({
    name,
    as: schemaName(name),
    type: types[type],
    nullable: true,
    description,
  }));
}
