import { Kind, parse } from 'graphql';
import type { FieldNode, GraphQLField } from 'graphql';
import { describe, expect, it } from 'vitest';
import { documentWith, readDocument } from '../../rest/answer/documents.ts';
import { endpoints } from '../../rest/index.ts';
import type { Endpoint } from '../../rest/endpoints/endpoint.ts';
import type { BodyField } from '../../rest/endpoints/types.ts';
import { schema } from '../../src/graphql/index.ts';
import { checkDocument } from '../../src/graphql/server/check-document.ts';
import { parseDocument } from '../../src/graphql/server/parse-document.ts';
import { scopes } from '../../src/tenants/index.ts';

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const rows = endpoints.map((endpoint): [string, Endpoint] => [nameOf(endpoint), endpoint]);

/** What the root field of a document asks for. */
function scopeOf(document: string): unknown {
  const [operation] = parse(readDocument(document)).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('not an operation');
  const type = schema.getRootType(operation.operation);
  const [{ name }] = operation.selectionSet.selections as [FieldNode];
  const field = type?.getFields()[name.value] as GraphQLField<unknown, unknown>;
  return (field.extensions['pothosOptions'] as { authScopes?: { scope?: unknown } }).authScopes?.scope;
}

/** The document, with the fields that are selected where a request names none. */
function textOf({ document, recordType = 'Image', defaultFields }: Endpoint): string {
  return defaultFields === undefined ? readDocument(document) : documentWith(document, recordType, defaultFields);
}

describe('the table of endpoints', () => {
  it.each(rows)('asks for the right that the schema asks for: %s', (_, { document, scope }) => {
    expect(scope).toBe(scopeOf(document));
  });

  it.each(rows)('has a document that the schema answers: %s', (_, endpoint) => {
    expect(checkDocument(schema, parseDocument(textOf(endpoint)))).toEqual([]);
  });

  it.each(rows)('names a right that some role has: %s', (_, { scope }) => {
    expect(scopes).toContain(scope);
  });

  it('has each method of each path once', () => {
    expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  });

  it.each(rows)('describes every parameter and field: %s', (_, endpoint) => {
    const undescribed = [...endpoint.parameters, ...fieldsOf(endpoint)].filter(({ description }) => description === '');
    expect([endpoint.summary === '', undescribed.map(({ name }) => name)]).toEqual([false, []]);
  });

  it.each(rows)('gives every parameter of the path a place in it: %s', (_, { path, parameters }) => {
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(places);
  });
});

function fieldsOf({ body }: Endpoint): readonly BodyField[] {
  if (body === undefined) return [];
  if (body.kind === 'form') return body.fields;
  const element = body.type.kind === 'list' ? body.type.of : body.type;
  return element.kind === 'object' ? element.fields : [];
}
