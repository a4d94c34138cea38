/** A JSON schema. */
type Json = Readonly<Record<string, unknown>>;

/** One successful reply of an endpoint. The schema of its body is derived from a path in the data of the document. */
export type EndpointAnswer = Readonly<{
  status: number;
  description: string;
  /** Absent if the reply has no body. */
  schema?: (derive: At) => Json;
  /** The name of the schema, if it differs from the derived one. */
  name?: string;
  /** JSON by default. */
  contentType?: string;
  headers?: readonly string[];
}>;

/** Returns the schema at a path of the current document. */
type At = (path: readonly string[], omit?: readonly string[], name?: string) => Json;

/** A reply whose body is the value at a path of the data. */
export const valueAt = (status: number, description: string, ...path: string[]): EndpointAnswer => ({
  status,
  description,
  schema: (at) => at(path),
});

/**
 * A reply to a write. The schema is the same whether the write has finished or is only accepted: generated Go and
 * Java clients parse every success status by the schema of the first.
 */
const write = (status: number, description: string): EndpointAnswer => ({
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
export const pending = write(202, 'Accepted but not finished: a PendingOperation; follow it by its id.');
export const finished = write(200, 'Finished, without new records: an Operation_Out.');
export const created = write(201, 'Finished, with at least one new record: an Operation_Out.');

/** A record; its entity tag is its version. */
export const recordAnswer = (name: string): EndpointAnswer => ({
  status: 200,
  description: 'The record with the requested fields.',
  schema: (at) => at([name], ['version']),
});

/** A page of records in the form that REST gives it. */
export function pageOf(field: string, result: string, name: string): EndpointAnswer {
  return {
    status: 200,
    name,
    description: 'A page of records with the requested fields.',
    headers: ['Search-Backend', 'Search-Engine'],
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
