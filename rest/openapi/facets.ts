import type { Json } from './json-object.ts';

/** The form of facets in REST; the GraphQL schema has no such type. */
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
