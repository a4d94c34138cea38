import { finished, pending, valueAt } from './answers.ts';
import { fileFormats, searchLanguages, sortOrders } from './contract.ts';
import type { Input, ServedEndpoint } from './endpoint.ts';
import { opId } from './operations.ts';
import { idempotencyKey, writeFlags } from './parameters.ts';
import { invalid } from '../request/refuse.ts';
import { found, toId, writeReply } from './replies.ts';
import { listOf, objectOf, oneOf, string } from './types.ts';
import type { ObjectType } from './types.ts';
import type { ReadObject } from '../compat/values.ts';

const request: ObjectType = objectOf([
  {
    name: 'ids',
    type: listOf(string, { min: 1, max: 100_000 }),
    nullable: true,
    description: 'Identifiers, in the order of the file; alternatively `q`.',
  },
  {
    name: 'q',
    type: string,
    nullable: true,
    description: 'A formula that selects the records; empty for all.',
    example: 'country:Italy',
  },
  {
    name: 'lang',
    type: oneOf('LangSearch', searchLanguages),
    description: 'Language of the words in the formula; default `ml`.',
  },
  {
    name: 'format',
    type: oneOf('ExportFormat', fileFormats),
    required: true,
    description: 'Format of the file.',
  },
  {
    name: 'fields',
    type: listOf(string),
    nullable: true,
    description: 'Fields, after the id. By default those that an import reads back.',
  },
  {
    name: 'sort_by',
    as: 'sortBy',
    type: string,
    nullable: true,
    description: 'Field by which the results of `q` are sorted.',
  },
  {
    name: 'sort_order',
    as: 'sortOrder',
    type: oneOf('SortOrder', sortOrders),
    description: 'Direction of sorting; default `desc`.',
  },
]);

type Which = Readonly<{ ids?: readonly string[] | null; q?: string | null }>;

/** Checks that the records are given in exactly one way: by ids or by a formula. */
function saysRecordsOnce({ body }: Input): void {
  const { ids = null, q = null } = (body as ReadObject).values as Which;
  if ((ids === null) !== (q === null)) return;
  const problem = { type: 'value_error', loc: ['body', 'q'], msg: 'Give exactly one of ids and q', input: q };
  throw invalid({ listed: [problem], count: 1 }, 'q: "" selects every record');
}

function recordsOf({ ids, q, ...rest }: Which) {
  return { ...rest, of: (ids ?? null) === null ? { q } : { ids } };
}

function exportOf({ path, many }: Readonly<{ path: string; many: string }>): ServedEndpoint {
  return {
    method: 'POST',
    path: `/exports${path}`,
    summary: `Export ${many} into a file`,
    scope: 'exports:write',
    document: `export-${many}`,
    answers: [{ ...finished, description: 'Finished; `GET /exports/{op_id}` says where the file is.' }, pending],
    parameters: [...writeFlags.filter(({ name }) => name !== 'strict' && name !== 'dry_run'), idempotencyKey],
    body: {
      kind: 'json',
      name: 'ExportRequest',
      type: request,
      description: 'Which records and fields to export, and how.',
    },
    check: saysRecordsOnce,
    variables: ({ body, values, preferWait }) => ({
      sortOrder: 'desc',
      ...recordsOf((body as ReadObject).values),
      wait: values['wait'],
      urgent: values['urgent'],
      idempotencyKey: values['Idempotency-Key'],
      waitSeconds: preferWait,
    }),
    reply: writeReply,
  };
}

/** Endpoints that export records as files. */
export const exportEndpoints: readonly ServedEndpoint[] = [
  exportOf({ path: '/imgs', many: 'images' }),
  exportOf({ path: '/vids', many: 'videos' }),
  {
    method: 'GET',
    path: '/exports/{op_id}',
    summary: 'The file of an export',
    scope: 'exports:write',
    document: 'get-export',
    answers: [valueAt(200, 'Its name and size, its address, and when it expires.', 'exportFile')],
    parameters: [{ ...opId, as: 'operationId' }],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: (data) =>
      found(data, 'exportFile', 'There is no such file: the export has not finished, has failed, or has expired'),
  },
];
