import type { GraphQLSchema } from 'graphql';
import { documentWith, readDocument } from '../answer/documents.ts';
import type { Body, Endpoint } from '../endpoints/endpoint.ts';
import { endpoints } from '../endpoints/index.ts';
import { problemType } from '../../src/lib/http-contract.ts';
import { createDeriver } from './derive.ts';
import type { Deriver } from './derive.ts';
import type { Json } from './json-object.ts';
import { errorReplies, errorSchemas } from './errors.ts';
import { examplesOf, examplesWhere } from './examples.ts';
import { facetSchemas } from './facets.ts';
import { headerReferences, responseHeaders } from './headers.ts';
import { describeBody, listSchemas, parameterObject, reference } from './inputs.ts';
import { operationIdOf, tagOf, tags } from './names.ts';
import { servicePaths, serviceSchemas } from './service.ts';
import { introduction } from './text.ts';

type OpenApiOptions = Readonly<{
  /** The schema that REST is a client of: replies are derived from what the documents select. */
  schema: GraphQLSchema;
}>;

const keyHeader: Json = {
  type: 'apiKey',
  in: 'header',
  name: 'API-Key',
  description: 'An API key of a tenant; the first start prints the first key and stores it in `DATA_DIR`.',
};
const here: Json = { url: '/', description: 'The server of this document' };

/**
 * The document's `servers`: the address of the service, if known, because generated Go does not accept a relative
 * one.
 */
export function serversOf(address: string | null): readonly Json[] {
  return address === null ? [here] : [{ url: address, description: 'This service' }, here];
}

/** The OpenAPI 3.1 document of the REST API, built from the endpoint table and the schema. */
export function buildOpenApi(options: OpenApiOptions): Json {
  const deriver = createDeriver(options.schema);
  const schemas = new Map<string, Json>(Object.entries({ ...facetSchemas, ...errorSchemas, ...serviceSchemas }));
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const { path } = endpoint;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, deriver, schemas) };
  }
  for (const [name, schema] of deriver.components) addNamed(schemas, name, schema);
  // Replies also use some of these lists; those schemas are already derived.
  for (const [name, schema] of listSchemas(endpoints)) if (!schemas.has(name)) addNamed(schemas, name, schema);
  const sorted = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: introduction,
    servers: serversOf(null),
    security: [{ APIKeyHeader: [] }],
    tags,
    paths: { ...paths, ...servicePaths },
    components: {
      securitySchemes: { APIKeyHeader: keyHeader },
      headers: responseHeaders,
      responses: { NotModified: notModified, ...errorResponses() },
      schemas: Object.fromEntries(sorted.map(([name, schema]) => [name, { title: name, ...schema }])),
    },
  };
}

/** @throws Error if one name would have two meanings. */
function addNamed(schemas: Map<string, Json>, name: string, schema: Json): void {
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two schemas would both be called ${name}`);
  }
  schemas.set(name, schema);
}

function operationOf(endpoint: Endpoint, deriver: Deriver, schemas: Map<string, Json>): Json {
  const { summary, parameters, scope } = endpoint;
  const operationId = operationIdOf(endpoint);
  const isWrite = parameters.some(({ name }) => name === 'wait');
  return {
    operationId,
    tags: [tagOf(endpoint.path)],
    summary,
    description: `Requires scope \`${scope}\`.`,
    parameters: [...parameters.map((each) => parameterObject(each, endpoint.method)), ...(isWrite ? [prefer] : [])],
    ...requestBody(endpoint, operationId, schemas),
    responses: { ...successes(endpoint, deriver, schemas), ...failures(endpoint) },
  };
}

const prefer: Json = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: 'With `wait=true`: maximum time to wait, `wait=N` with N seconds up to 120.',
  schema: { type: 'string' },
};

function requestBody(endpoint: Endpoint, operationId: string, schemas: Map<string, Json>): Json {
  const { body } = endpoint;
  if (body === undefined) return {};
  const { contentType, schema, named } = describeBody(endpoint, body, `Body_${operationId}`);
  for (const [name, value] of Object.entries(named)) addNamed(schemas, name, value);
  const examples = examplesOf(endpoint, 'request');
  const required = isRequired(body);
  return {
    requestBody: { required, description: body.description, content: { [contentType]: { schema, ...examples } } },
  };
}

/** Some requests with a formula take no body. */
function isRequired(body: Body): boolean {
  return body.kind === 'json' ? body.withFormula?.fields.length !== 0 : body.fields.some((field) => field.required);
}

function successes(endpoint: Endpoint, deriver: Deriver, schemas: Map<string, Json>): Json {
  const { document, answers, recordType = 'Image' } = endpoint;
  const fields = requestableFields(endpoint);
  const text = fields.length === 0 ? readDocument(document) : documentWith(document, recordType, fields);
  const at = (path: readonly string[], omit?: readonly string[], name?: string) => deriver.at(text, path, omit, name);
  const replies = answers.map(({ status, description, schema, name, headers, contentType = json }): [string, Json] => {
    const answer = { description, headers: headerReferences(headers) };
    if (schema === undefined) return [String(status), answer];
    const value =
      contentType === json || name !== undefined
        ? namedSchema(schemas, { schema: schema(at), name, document })
        : schema(at);
    const content = { [contentType]: { schema: value, ...examplesOf(endpoint, 'answer', status) } };
    return [String(status), { ...answer, content }];
  });
  // A stream has no entity tag: no client can already have all of it.
  const isRead = endpoint.method === 'GET' && answers.every(({ contentType = json }) => contentType === json);
  return { ...Object.fromEntries(replies), ...(isRead && { 304: { $ref: '#/components/responses/NotModified' } }) };
}

const json = 'application/json';

/** Generators choose poor names for types, so a schema without a name is named after its document. */
function namedSchema(
  schemas: Map<string, Json>,
  { schema, name, document }: Readonly<{ schema: Json; name?: string | undefined; document: string }>,
): Json {
  if (name === undefined && '$ref' in schema) return schema;
  const chosen = name ?? `${document.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Reply`;
  addNamed(schemas, chosen, schema);
  return reference(chosen);
}

const notModified: Json = {
  description: 'Not modified: its `ETag` was sent in `If-None-Match`.',
  headers: headerReferences(['ETag']),
};

/** Every field that the `fields` parameter can request. */
function requestableFields({ parameters }: Endpoint): readonly string[] {
  const type = parameters.find(({ name }) => name === 'fields')?.type;
  return type?.kind === 'list' && type.of.kind === 'enum' ? type.of.values : [];
}

function failures(endpoint: Endpoint): Json {
  const rows = errorReplies.filter(({ when }) => when?.(endpoint) !== false);
  return Object.fromEntries(rows.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

function errorResponses(): Json {
  return Object.fromEntries(
    errorReplies.map(({ name, status, description, schema = 'ErrorResponse', headers, when = () => true }) => [
      name,
      {
        description,
        headers: headerReferences(headers),
        content: {
          'application/json': { schema: reference(schema), ...examplesWhere(when, status) },
          [problemType]: { schema: reference('Problem') },
        },
      },
    ]),
  );
}
