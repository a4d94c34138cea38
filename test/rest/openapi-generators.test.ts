import { describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../rest/index.ts';
import { schema } from '../../src/graphql/index.ts';
import { openReplyChecker } from '../support/openapi.ts';

const document = JSON.parse(JSON.stringify(buildOpenApi({ schema })));
const { schemas, responses } = document.components;
const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every object of the document with where it stands, but for what stands in examples. */
function nodesOf(value: unknown, path = ''): { path: string; node: any }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([name]) => name !== 'examples' && name !== 'example');
  return [{ path, node: value }, ...inner.flatMap(([name, child]) => nodesOf(child, `${path}/${name}`))];
}
const nodes = nodesOf(document);

/** What generators of clients trip over; `npm run clients` runs them. */
describe('the OpenAPI document, for generators of clients', () => {
  it('names operations with letters, digits and underscores', () => {
    for (const { operation } of operations) expect(operation.operationId).toMatch(/^\w+$/);
  });

  it('has one schema for what a write answers, whether it has ended or not', () => {
    const writes = operations.filter(({ operation }) => operation.responses[202] !== undefined);
    expect(writes.length).toBeGreaterThan(15);
    for (const { name, operation } of writes) {
      const replies = [200, 201, 202].map((status) => operation.responses[status]).filter(Boolean);
      const named = replies.map((reply) => reply.content['application/json'].schema);
      for (const each of named) expect(each, name).toEqual({ $ref: '#/components/schemas/WriteReply' });
    }
    const parts = schemas.WriteReply.oneOf.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1));
    expect(parts).toEqual(['Operation_Out', 'PendingOperation']);
  });

  it('distinguishes a finished write from an accepted one by required properties', () => {
    const operation = Object.keys(schemas.Operation_Out.properties);
    const pending = Object.keys(schemas.PendingOperation.properties);
    expect(schemas.PendingOperation.required.filter((name: string) => !operation.includes(name))).not.toEqual([]);
    expect(schemas.Operation_Out.required.filter((name: string) => !pending.includes(name))).not.toEqual([]);
  });

  it('says of every id of an operation that it may need 64 bits', () => {
    const ids = nodes.filter(
      ({ path, node }) => /^op(?:eration)?_id$/.test(node.name) || path.endsWith('/operation_id'),
    );
    expect(ids.length).toBeGreaterThan(5);
    for (const { path, node } of ids) {
      const { type, format } = node.schema ?? node;
      expect([[type].flat()[0], format], path).toEqual(['integer', 'int64']);
    }
  });

  it('names the schema of every JSON that is answered', () => {
    for (const { name, operation } of operations) {
      for (const [status, reply] of Object.entries<any>(operation.responses)) {
        const json = reply.content?.['application/json'];
        if (json !== undefined) expect(json.schema, `${name} ${status}`).toHaveProperty('$ref');
      }
    }
    for (const [name, each] of Object.entries<any>(schemas)) expect(each.title).toBe(name);
  });

  it('names every closed list, and no two constants alike', () => {
    const lists = nodes.filter(({ node }) => Array.isArray(node.enum));
    for (const { path } of lists) expect(path).toMatch(/^\/components\/schemas\/\w+$/);
    const constants = lists.flatMap(({ node }) => node['x-enum-varnames']);
    expect(constants.length).toBe(lists.flatMap(({ node }) => node.enum).length);
    for (const each of constants) expect(each).toMatch(/^[A-Z][A-Z0-9_]*$/);
    expect(new Set(constants).size).toBe(constants.length);
  });

  it('has no name that a language has already', () => {
    const taken = ['Error', 'Object', 'String', 'Date', 'File', 'Map', 'Exception', 'Response'];
    for (const name of taken) expect(schemas).not.toHaveProperty(name);
  });

  it('says what each choice among several schemas is', () => {
    const choices = nodes.flatMap(({ path, node }) =>
      [...(node.anyOf ?? []), ...(node.oneOf ?? [])].map((choice) => ({ path, choice })),
    );
    expect(choices.length).toBeGreaterThan(10);
    for (const { path, choice } of choices) expect('type' in choice || '$ref' in choice, path).toBe(true);
  });

  it('gives no value two types beside null', () => {
    const mixed = nodes.filter(({ node }) => Array.isArray(node.type) && node.type.length > 2);
    expect(mixed.map(({ path }) => path)).toEqual([]);
    expect(nodes.some(({ node }) => Array.isArray(node.type))).toBe(true);
  });

  it('says defaults of lists in words: generated Go cannot be compiled with them', () => {
    const lists = nodes.filter(({ node }) => node.type === 'array' && 'default' in node);
    expect(lists.map(({ path }) => path)).toEqual([]);
    const fields = document.paths['/imgs'].get.parameters.find(({ name }: { name: string }) => name === 'fields');
    expect(fields.description).toContain('Without it `height`, `width`, `src`');
  });

  it('requires no list and no object that can be null: clients look into what is required', () => {
    const isNullable = ({ type, anyOf = [] }: { type?: unknown; anyOf?: { type?: string }[] }) =>
      (Array.isArray(type) && type[0] === 'array') ||
      (anyOf.some((choice) => '$ref' in choice) && anyOf.some((choice) => choice.type === 'null'));
    const nullable = Object.entries<any>(schemas).flatMap(([name, { properties = {}, required = [] }]) =>
      Object.entries<any>(properties)
        .filter(([, property]) => isNullable(property))
        .map(([field]) => ({ name: `${name}.${field}`, isRequired: required.includes(field) })),
    );
    expect(nullable.map(({ name }) => name)).toEqual(expect.arrayContaining(['TagImageResponse.ocr', 'Limits.read']));
    expect(nullable.filter(({ isRequired }) => isRequired)).toEqual([]);
  });

  it('says defaults of form fields in words: a property that has one counts as required', () => {
    for (const [name, each] of Object.entries<any>(schemas)) {
      for (const [field, property] of Object.entries<any>(each.properties ?? {})) {
        expect(property, `${name}.${field}`).not.toHaveProperty('default');
      }
    }
    expect(schemas.Body_tag_image_tag_image_post.required).toBeUndefined();
    expect(schemas.Body_tag_image_tag_image_post.properties.lang.description).toContain('Without it `en`');
  });

  it('shows only examples that its schemas allow', () => {
    const check = openReplyChecker(document);
    const faults: string[] = [];
    for (const [name, reply] of Object.entries<any>(responses)) {
      const user = operations.find(({ operation }) =>
        JSON.stringify(operation.responses).includes(`responses/${name}"`),
      );
      const [method = '', path = ''] = user?.name.split(' ') ?? [];
      const [status] = Object.entries<any>(user?.operation.responses ?? {}).find(([, { $ref }]) =>
        $ref?.endsWith(`/${name}`),
      ) ?? ['0'];
      for (const [key, { value }] of Object.entries<any>(reply.content?.['application/json']?.examples ?? {})) {
        for (const fault of check(method, path, Number(status), value)) faults.push(`${name} ${key}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
    expect(Object.keys(responses.InvalidCombination.content['application/json'].examples)).toEqual(['nothing-to-tag']);
  });
});
