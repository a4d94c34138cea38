import type { Json } from './json-object.ts';

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
    description: 'The record of a write that has ended, or what there is to say of one that is accepted.',
    oneOf: [
      at(['result', 'on Operation'], ['__typename', 'numCreated']),
      at(['result', 'on PendingOperation'], ['__typename']),
    ],
  }),
});
const pending = write(202, 'Accepted and not finished, a PendingOperation; follow it by its id.');
const finished = write(200, 'It has ended, and nothing new was created: an Operation_Out.');
const created = write(201, 'It has ended; at least one record is new: an Operation_Out.');

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
          description: 'The records of this page; where the formula asks for similarity, how similar each is, and why.',
        },
        count: { type: ['integer', 'null'], description: 'How many match in all, exactly; null unless asked for.' },
        facets: {
          type: 'object',
          description: 'Values and how often they occur, for each facet that was asked for.',
          additionalProperties: { type: 'array', items: { $ref: '#/components/schemas/FacetValue' } },
        },
        cursor: {
          type: ['string', 'null'],
          description:
            'Goes on after this page when given as `cursor`; null on the last page. Only in walks by cursor.',
        },
      },
    }),
  };
}

/** What REST makes of facets; the schema has no type of this form. */
export const facetSchemas: Readonly<Record<string, Json>> = {
  FacetValue: {
    type: 'object',
    description: 'A value of a facet and how many records of the whole result have it.',
    required: ['value', 'count'],
    properties: {
      value: {
        description: 'The value; null for records without one.',
        anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }],
      },
      count: { type: 'integer', description: 'How many records.' },
    },
  },
};

/** What each document answers when all went well. */
export const answers: Readonly<Record<string, readonly Answer[]>> = {
  'get-me': [valueAt(200, 'Client, role and what it may do.', 'me')],
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
      description:
        'Events as they come, until the operation has ended: `id` is the number of the event, `event` its type.',
      // Of one event or of the whole text: readers of the document disagree, so it says neither.
      schema: () => ({}),
      contentType: 'text/event-stream',
    },
    { status: 204, description: 'The operation has ended, and the event named was its last.' },
  ],
  'abort-operation': [valueAt(200, 'The operation after the abort.', 'operation')],
  'get-image': [record('image')],
  'list-images': [page('images', 'FoundImage', 'ImagePage')],
  'explain-formula': [valueAt(200, 'The formula taken apart.', 'explanation')],
  'create-images': [finished, created, pending],
  'replace-images': [finished, created, pending],
  'update-images': [finished, pending],
  'delete-images': [finished, pending],
  'tag-image': [valueAt(200, 'What was asked for: null is not asked for, empty is nothing found.', 'tags')],
  'upload-query-image': [valueAt(200, 'Its name for formulas, and how long it is kept.', 'queryImage')],
  'get-video': [record('video')],
  'get-video-poster': [
    {
      status: 200,
      description: 'The first good picture as JPEG.',
      schema: () => ({ type: 'string', format: 'binary' }),
      contentType: 'image/jpeg',
    },
  ],
  'list-videos': [page('videos', 'FoundVideo', 'VideoPage')],
  'create-videos': [finished, created, pending],
  'replace-videos': [finished, created, pending],
  'update-videos': [finished, pending],
  'delete-videos': [finished, pending],
  'find-duplicates': [{ ...finished, description: 'It has ended; `GET /duplicates` has what it found.' }, pending],
  'list-duplicates': [valueAt(200, 'A page of groups, the largest first.', 'duplicates')],
  'list-verdicts': [valueAt(200, 'A page of verdicts, newest first.', 'verdicts')],
  'give-verdict': [valueAt(200, 'The verdict as it is kept.', 'verdict')],
  'withdraw-verdict': [valueAt(200, 'The verdict that is no more.', 'verdict')],
};

/** The answers of a document. @throws Error for one that nobody has described. */
export function responsesOf(document: string): readonly Answer[] {
  const found = answers[document];
  if (found === undefined) throw new Error(`rest/openapi/answers.ts does not say what ${document} answers`);
  return found;
}
