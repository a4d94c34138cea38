import { operationMethods, operationResources } from './contract.ts';
import type { Input, Parameter, ServedEndpoint, StreamEndpoint } from './endpoint.ts';
import { valueAt } from './answers.ts';
import type { Reply } from '../../src/lib/http-contract.ts';
import { boolean, datetime, integerId, oneOf } from './types.ts';
import { lastEvent, limit, page } from './parameters.ts';
import { found, operationBody, toId, toInt32 } from './replies.ts';

export const opId: Parameter = {
  name: 'op_id',
  as: 'id',
  in: 'path',
  type: integerId,
  description: 'Number of the operation.',
  example: { read: 1, written: 999_999_999 },
};

function operationReply(data: Record<string, unknown>): Reply {
  const { status, body } = found(data, 'operation', 'Operation not found');
  return { status, body: operationBody(body as object) };
}

function operationsReply(data: Record<string, unknown>, { values, target }: Input): Reply {
  const { results, count } = data['operations'] as { results: object[]; count: number };
  const [number, size] = [Number(values['page']), Number(values['limit'])];
  const link = (to: number, rel: string) => {
    const [path = '', ...query] = target.split('?');
    const parameters = new URLSearchParams(query.join('?'));
    parameters.set('page', String(to));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  const last = Math.max(1, Math.ceil(count / size));
  const links = [
    ...(number > 1 ? [link(1, 'first'), link(Math.min(number - 1, last), 'prev')] : []),
    ...(number * size < count ? [link(number + 1, 'next')] : []),
  ];
  const headers = { 'X-Total-Count': String(count), ...(links.length > 0 && { Link: links.join(', ') }) };
  return { status: 200, body: results.map(operationBody), headers };
}

const filters: readonly Parameter[] = [
  {
    name: 'method',
    in: 'query',
    type: oneOf('OperationMethod', operationMethods),
    default: null,
    description: 'Only operations of this kind.',
  },
  {
    name: 'resource',
    in: 'query',
    type: oneOf('OperationResource', operationResources),
    default: null,
    description: 'Only operations on this kind of records.',
  },
  {
    name: 'is_finished',
    in: 'query',
    type: boolean,
    default: null,
    description: 'Only finished operations, or only unfinished ones.',
  },
  {
    name: 'created_after',
    in: 'query',
    type: datetime,
    default: null,
    description: 'Only operations created after this time.',
  },
];

/** Endpoints for the caller's role and for operations, which writes create. */
export const operationEndpoints: readonly (ServedEndpoint | StreamEndpoint)[] = [
  {
    method: 'GET',
    path: '/me',
    summary: "The caller's role",
    scope: 'me:read',
    document: 'get-me',
    answers: [valueAt(200, 'Client, role and scopes.', 'me')],
    parameters: [],
    variables: () => ({}),
    reply: (data) => ({ status: 200, body: data['me'] }),
  },
  {
    method: 'GET',
    path: '/ops/',
    summary: 'List operations, newest first',
    scope: 'ops:read',
    document: 'list-operations',
    answers: [
      {
        status: 200,
        description: 'Operations, newest first, each with its first ten `errors`; `GET /ops/{op_id}` has all.',
        name: 'OperationList',
        schema: (at) => ({ ...at(['operations', 'results']), description: 'Operations, newest first.' }),
        headers: ['X-Total-Count', 'Link'],
      },
    ],
    parameters: [page, limit(1000), ...filters],
    variables: ({ values }) => ({
      page: toInt32(values['page']),
      limit: values['limit'],
      method: values['method'],
      resource: values['resource'],
      isFinished: values['is_finished'],
      createdAfter: values['created_after'],
    }),
    reply: operationsReply,
  },
  {
    method: 'GET',
    path: '/ops/{op_id}',
    summary: 'Status of an operation',
    scope: 'ops:read',
    document: 'get-operation',
    answers: [valueAt(200, 'The operation as it is now.', 'operation')],
    parameters: [opId],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: operationReply,
  },
  {
    method: 'GET',
    path: '/ops/{op_id}/events',
    summary: 'Follow an operation by server-sent events',
    scope: 'ops:read',
    document: 'follow-operation',
    answers: [
      {
        status: 200,
        description:
          'Events until the operation is finished: `id` is the number of the event, `event` its type. ' +
          'The event `error` ends the stream if the key is no longer valid.',
        // Is this the schema of one event or of the whole body? Tools disagree, so the document states neither.
        schema: () => ({}),
        contentType: 'text/event-stream',
      },
      { status: 204, description: 'The operation is finished, and `Last-Event-ID` was its last event.' },
    ],
    parameters: [opId, ...lastEvent(0)],
    variables: ({ values }) => ({
      id: toId(values['op_id']),
      // The schema's integers have 32 bits; no log is longer.
      after: toInt32(values['Last-Event-ID'] ?? values['last_event_id']),
    }),
    stream: ({ event }) => {
      const { sequence, type } = event as { sequence: number; type: string };
      return { id: sequence, event: type, data: event };
    },
  },
  {
    method: 'DELETE',
    path: '/ops/{op_id}',
    summary: 'Abort an operation',
    scope: 'ops:abort',
    document: 'abort-operation',
    answers: [valueAt(200, 'The operation after the abort.', 'operation')],
    parameters: [opId],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: operationReply,
  },
];
