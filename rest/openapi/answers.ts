import type { Json } from './derive.ts';

/** One successful answer of a document: where its body stands in the data. */
export type Answer = Readonly<{
  status: number;
  description: string;
  /** None where the answer has no body. */
  schema?: (derive: At) => Json;
  /** The name of the schema, where it is not derived under one. */
  name?: string;
  /** JSON without it. */
  contentType?: string;
  headers?: readonly string[];
}>;

/** The schema at a path of the document at hand. */
type At = (path: readonly string[], omit?: readonly string[], name?: string) => Json;

const valueAt = (status: number, description: string, ...path: string[]): Answer => ({
  status,
  description,
  schema: (at) => at(path),
});

/**
 * A write. Its schema is the same whether it has ended or is only accepted: generated Go and Java read every
 * status of success by the schema of the first.
 */
const write = (status: number, description: string): Answer => ({
  status,
  description,
  name: 'WriteReply',
  schema: (at) => ({
    description: 'The record of a finished write, or of an accepted one.',
    oneOf: [
      at(['result', 'on Operation'], ['__typename', 'numCreated']),
      at(['result', 'on PendingOperation'], ['__typename']),
    ],
  }),
});
const pending = write(202, 'Accepted and not finished: a PendingOperation; follow it by its id.');
const finished = write(200, 'Finished, without new records: an Operation_Out.');
const created = write(201, 'Finished, with at least one new record: an Operation_Out.');

/** A record; its version is told by its tag. */
const record = (name: string): Answer => ({
  status: 200,
  description: 'The record with the requested fields.',
  schema: (at) => at([name], ['version']),
});

/** A page of records as REST shapes it. */
function page(field: string, result: string, name: string): Answer {
  return {
    status: 200,
    name,
    description: 'A page of records with the requested fields.',
    headers: ['Search-Engine'],
    schema: (at) => ({
      type: 'object',
      description: 'A page of records.',
      required: ['results', 'count', 'facets'],
      properties: {
        results: {
          ...at([field, 'results'], [], result),
          description: 'The records of this page; with a similarity term, also the similarity and match of each.',
        },
        count: { type: ['integer', 'null'], description: 'The exact number of matches; null unless requested.' },
        facets: {
          type: 'object',
          description: 'Values and their counts, for each requested facet.',
          additionalProperties: { type: 'array', items: { $ref: '#/components/schemas/FacetValue' } },
        },
        cursor: {
          type: ['string', 'null'],
          description: 'Pass it as `cursor` to get the next page; null on the last page. Only when paging by cursor.',
        },
      },
    }),
  };
}

/** What REST makes of facets; the schema has no type of this form. */
export const facetSchemas: Readonly<Record<string, Json>> = {
  FacetValue: {
    type: 'object',
    description: 'A facet value and the number of matching records with it.',
    required: ['value', 'count'],
    properties: {
      value: {
        description: 'The value; null for records without one.',
        anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }],
      },
      count: { type: 'integer', description: 'Number of records.' },
    },
  },
};

/** What each document answers when all went well. */
export const answers: Readonly<Record<string, readonly Answer[]>> = {
  'get-me': [valueAt(200, 'Client, role and scopes.', 'me')],
  'list-operations': [
    {
      status: 200,
      description: 'Operations, newest first.',
      name: 'OperationList',
      schema: (at) => ({ ...at(['operations', 'results']), description: 'Operations, newest first.' }),
      headers: ['X-Total-Count', 'Link'],
    },
  ],
  'get-operation': [valueAt(200, 'The operation as it is now.', 'operation')],
  'follow-operation': [
    {
      status: 200,
      description: 'Events until the operation is finished: `id` is the number of the event, `event` its type.',
      // Of one event or of the whole text: readers of the document disagree, so it says neither.
      schema: () => ({}),
      contentType: 'text/event-stream',
    },
    { status: 204, description: 'The operation is finished, and `Last-Event-ID` was its last event.' },
  ],
  'abort-operation': [valueAt(200, 'The operation after the abort.', 'operation')],
  'get-image': [record('image')],
  'list-images': [page('images', 'FoundImage', 'ImagePage')],
  'explain-formula': [valueAt(200, 'The explanation of the formula.', 'explanation')],
  'create-images': [finished, created, pending],
  'replace-images': [finished, created, pending],
  'update-images': [finished, pending],
  'delete-images': [finished, pending],
  'tag-image': [valueAt(200, 'The requested outputs: null means not requested, empty means nothing found.', 'tags')],
  'upload-query-image': [valueAt(200, 'Its hash for formulas, and when it expires.', 'queryImage')],
  'get-video': [record('video')],
  'get-video-poster': [
    {
      status: 200,
      description: 'The first good frame as JPEG.',
      schema: () => ({ type: 'string', format: 'binary' }),
      contentType: 'image/jpeg',
    },
  ],
  'list-videos': [page('videos', 'FoundVideo', 'VideoPage')],
  'create-videos': [finished, created, pending],
  'replace-videos': [finished, created, pending],
  'update-videos': [finished, pending],
  'delete-videos': [finished, pending],
  'find-duplicates': [{ ...finished, description: 'Finished; `GET /duplicates` returns the result.' }, pending],
  'list-duplicates': [valueAt(200, 'A page of groups, the largest first.', 'duplicates')],
  'list-verdicts': [valueAt(200, 'A page of verdicts, newest first.', 'verdicts')],
  'give-verdict': [valueAt(200, 'The stored verdict.', 'verdict')],
  'withdraw-verdict': [valueAt(200, 'The withdrawn verdict.', 'verdict')],
};

/** The answers of a document. @throws Error for one that nobody has described. */
export function responsesOf(document: string): readonly Answer[] {
  const found = answers[document];
  if (found === undefined) throw new Error(`rest/openapi/answers.ts does not say what ${document} answers`);
  return found;
}
