import { schemaName } from './contract.ts';
import type { BodyFieldType, WriteField } from './contract.ts';
import type { ExampleId, Method, Parameter, ServedEndpoint } from './endpoint.ts';
import { boolean, closedObjectOf, listOf, objectOf, string } from './types.ts';
import type { BodyField, ObjectType, ValueType } from './types.ts';
import {
  formulaOf,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  onDuplicate,
  pathId,
  respectLocks,
  upsert,
  writeFlags,
  writeLang,
} from './parameters.ts';

/** The writes of a resource, for images and videos alike: one record at a time, or a batch. */

export type RecordWriteKind = 'create' | 'replace' | 'update' | 'delete';

/** What a request to one of the writes looks like. */
export type WriteRequest = Readonly<{ kind: RecordWriteKind }> &
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
  /** Whether pictures that already exist can be flagged or rejected. */
  comparesPictures: boolean;
}>;

const maxBatch = 10_000;
const batch = { min: 1, max: maxBatch };

const types = { string, boolean, strings: listOf(string) } as const satisfies Record<BodyFieldType, ValueType>;

/** What a patch may send instead of a whole list. */
const listChanges = ' Instead of a list, `{"add": […], "remove": […]}` changes the stored one.';

const kinds: Readonly<Record<RecordWriteKind, { method: Method; verb: string; parameters: readonly Parameter[] }>> = {
  create: { method: 'POST', verb: 'Create', parameters: [writeLang] },
  replace: { method: 'PUT', verb: 'Completely replace', parameters: [writeLang, upsert, respectLocks] },
  update: { method: 'PATCH', verb: 'Change the given fields of', parameters: [writeLang, respectLocks] },
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
  return all.map((kind) => {
    const { method, verb } = kinds[kind];
    return {
      kind,
      method,
      path: `${path}/{${idParameter}}`,
      summary: `${verb} one ${one}`,
      scope,
      parameters: [
        pathId(idParameter, `Identifier of the ${one}.`, kind === 'delete' ? 'ids' : 'id', exampleId),
        ...parametersOf(kind, comparesPictures),
      ],
      ...(kind !== 'delete' && {
        body: {
          kind: 'json',
          type: objectOf(toFields(fields, kind)),
          description: `Fields of the ${one}.${kind === 'update' ? listChanges : ''}`,
        },
      }),
    };
  });
}

/** The same for a batch, plus `POST …/delete` for clients behind proxies that strip the bodies of DELETE. */
export function batchWrites({ path, one, many, scope, fields, comparesPictures }: WrittenResource): WriteRequest[] {
  const id: BodyField = { name: 'id', type: string, required: true, description: `Identifier of the ${one}.` };
  const write = (kind: RecordWriteKind, method: Method, at: string): WriteRequest => {
    const elements = listOf(objectOf(kind === 'delete' ? [id] : [id, ...toFields(fields, kind)]), batch);
    const withFormula = at === path ? formulaBody(kind, fields) : undefined;
    const { verb } = kinds[kind];
    return {
      kind,
      method,
      path: at,
      summary: `${verb} ${many}`,
      scope,
      parameters: [...(withFormula === undefined ? [] : formulaOf(many)), ...parametersOf(kind, comparesPictures)],
      body: {
        kind: 'json',
        type: elements,
        description: bodyTexts[kind].replaceAll('RECORDS', many),
        ...(withFormula && { withFormula }),
      },
    };
  };
  return [...all.map((kind) => write(kind, kinds[kind].method, path)), write('delete', 'POST', `${path}/delete`)];
}

const bodyTexts: Readonly<Record<RecordWriteKind, string>> = {
  create: 'The RECORDS, each with its `id`.',
  replace: 'The RECORDS, each with its `id`.',
  update:
    `The RECORDS, each with its \`id\`. With \`q\`, one object (schema \`…Changes\`) without \`id\`, \`src\` and ` +
    `\`src_path\`, which is written to all RECORDS found.${listChanges}`,
  delete: 'The RECORDS to delete. With `q`, omit the body.',
};

/** The body that accompanies a formula. It has no source: giving several records the same source is a mistake. */
function formulaBody(kind: RecordWriteKind, fields: WrittenResource['fields']): ObjectType | undefined {
  if (kind === 'delete') return closedObjectOf([]);
  if (kind !== 'update') return undefined;
  const common = fields.filter(({ name }) => name !== 'src' && name !== 'src_path');
  return closedObjectOf(toFields(common, kind));
}

/** The parameters that a write of one record shares with a batch of the same kind. */
function parametersOf(kind: RecordWriteKind, comparesPictures: boolean): Parameter[] {
  const { parameters } = kinds[kind];
  return [...writeFlags, ...parameters, ...ruleOf(kind, comparesPictures), idempotencyKey, ifMatch, ifNoneMatch];
}

function ruleOf(kind: RecordWriteKind, comparesPictures: boolean): Parameter[] {
  return comparesPictures && kind !== 'delete' ? [onDuplicate] : [];
}

function toFields(fields: WrittenResource['fields'], kind: RecordWriteKind): BodyField[] {
  const list = kind === 'update' ? { ...types.strings, orChange: true as const } : types.strings;
  return fields.map(({ name, type, description }) => ({
    name,
    as: schemaName(name),
    type: type === 'strings' ? list : types[type],
    nullable: true,
    description,
  }));
}
