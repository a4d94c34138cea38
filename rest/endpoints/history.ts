import { changeKindNames, onConflictRules } from './contract.ts';
import type { Parameter, ServedEndpoint } from './endpoint.ts';
import { created, finished, pending, valueAt } from './answers.ts';
import { opId } from './operations.ts';
import { idempotencyKey, limit, page, pathId, writeFlags } from './parameters.ts';
import { found, toId, toInt32, writeReply } from './replies.ts';
import { datetime, oneOf, string } from './types.ts';
import { imageKind, videoKind } from './record-kinds.ts';
import type { RecordKind } from './record-kinds.ts';
import { writeOptions } from './records.ts';

/** What changed, who changed it, and how to undo it. */

function ofRecords({ path, idParameter, one, type, readScope, scope, exampleId }: RecordKind): ServedEndpoint[] {
  const id = pathId(idParameter, `Identifier of the ${one}.`, 'id', exampleId);
  return [
    {
      method: 'GET',
      path: `${path}/{${idParameter}}/history`,
      summary: `List the changes of one ${one}, newest first`,
      scope: readScope,
      document: `list-${one}-history`,
      answers: [valueAt(200, 'A page of changes, newest first.', 'history')],
      parameters: [id, page, limit(200)],
      variables: ({ values }) => ({
        id: values[idParameter],
        page: toInt32(values['page']),
        limit: values['limit'],
      }),
      reply: (data) => found(data, 'history', `${type} not found`),
    },
    {
      method: 'POST',
      path: `${path}/{${idParameter}}/restore`,
      summary: `Restore one ${one} to an earlier moment`,
      scope,
      document: `restore-${one}`,
      answers: [finished, created, pending],
      parameters: [
        id,
        { name: 'at', in: 'query', type: datetime, required: true, description: 'The moment.' },
        ...writeFlags,
        idempotencyKey,
      ],
      variables: (input) => ({ id: input.values[idParameter], at: input.values['at'], ...writeOptions(input) }),
      reply: writeReply,
    },
    {
      method: 'POST',
      path: `${path}/{${idParameter}}/purge`,
      summary: `Purge one ${one} and its history`,
      scope: 'records:purge',
      document: `purge-${one}`,
      answers: [finished, pending],
      parameters: [{ ...id, as: 'ids' }, ...writeFlags, idempotencyKey],
      variables: (input) => ({ ids: [input.values[idParameter]], ...writeOptions(input) }),
      reply: writeReply,
    },
  ];
}

const filters: readonly Parameter[] = [
  { name: 'element', in: 'query', type: string, default: null, description: 'Only the record with this id.' },
  { name: 'field', in: 'query', type: string, default: null, description: 'Only changes of this field.' },
  {
    name: 'kind',
    in: 'query',
    type: oneOf('ChangeKind', changeKindNames),
    default: null,
    description: 'Only elements with this outcome.',
  },
];

const changes: ServedEndpoint = {
  method: 'GET',
  path: '/ops/{op_id}/changes',
  summary: 'What an operation did to each record',
  scope: 'ops:read',
  document: 'list-operation-changes',
  answers: [valueAt(200, 'A page of records with their fields before and after.', 'operation', 'changes')],
  parameters: [opId, page, limit(200), ...filters],
  variables: ({ values }) => ({
    id: toId(values['op_id']),
    page: toInt32(values['page']),
    limit: values['limit'],
    element: values['element'],
    field: values['field'],
    kind: values['kind'],
  }),
  reply: (data) => {
    const { body } = found(data, 'operation', 'Operation not found');
    return { status: 200, body: (body as Record<string, unknown>)['changes'] };
  },
};

const undo: ServedEndpoint = {
  method: 'POST',
  path: '/ops/{op_id}/undo',
  summary: 'Undo an operation',
  scope: 'ops:undo',
  document: 'undo-operation',
  answers: [finished, created, pending],
  parameters: [
    opId,
    {
      name: 'on_conflict',
      in: 'query',
      type: oneOf('OnConflict', onConflictRules),
      default: 'skip',
      description:
        'What happens to fields that have been changed since: they stay and are reported (`skip`), get their former ' +
        'values anyway (`overwrite`), or nothing at all is undone (`fail`).',
    },
    ...writeFlags,
    idempotencyKey,
  ],
  variables: (input) => ({
    id: toId(input.values['op_id']),
    onConflict: input.values['on_conflict'],
    ...writeOptions(input),
  }),
  reply: (data, input) => {
    found(data, 'result', 'Operation not found');
    return writeReply(data, input);
  },
};

export const historyEndpoints: readonly ServedEndpoint[] = [
  changes,
  undo,
  ...[imageKind, videoKind].flatMap(ofRecords),
];
