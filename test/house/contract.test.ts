import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApiChanges } from '../../scripts/contract/openapi-changes.js';
import { packageRoot } from '../../src/lib/package-root.ts';

const document = readFileSync(join(packageRoot, 'docs', 'openapi.json'), 'utf8');

/** Parts of an OpenAPI document, as tests change them. */
type Json = { [name: string]: Json } & Json[];

/** What breaks clients when the document is changed so. */
function changesBy(change: (own: Json) => void): readonly string[] {
  const changed = JSON.parse(document) as Json;
  change(changed);
  return openApiChanges(JSON.parse(document) as object, changed);
}

const at = (own: Json, path: string, method: string) => own['paths']?.[path]?.[method] as Json;
const schemaOf = (own: Json, name: string) => own['components']?.['schemas']?.[name] as Json;
const parameterOf = (own: Json, name: string) =>
  (at(own, '/imgs', 'get')['parameters'] as Json[]).find((each) => (each['name'] as unknown) === name) as Json;
const set = (json: Json, values: object) => Object.assign(json, values);
const drop = (list: unknown, value: string) => {
  const own = list as string[];
  own.splice(own.indexOf(value), 1);
};

describe('a change of the OpenAPI document breaks clients that', () => {
  it.each<[string, (own: Json) => void, string]>([
    ['removes a path', (own) => delete own['paths']?.['/me'], 'GET /me was removed'],
    ['removes a method', (own) => delete own['paths']?.['/imgs']?.['post'], 'POST /imgs was removed'],
    [
      'removes a parameter',
      (own) => (at(own, '/imgs', 'get')['parameters'] as Json[]).shift(),
      'GET /imgs: the parameter query q was removed',
    ],
    [
      'asks for a parameter',
      (own) => set(parameterOf(own, 'q'), { required: true }),
      'GET /imgs: the parameter query q is now required',
    ],
    [
      'lowers a bound of what is sent',
      (own) => set(parameterOf(own, 'limit')['schema'] as Json, { maximum: 100 }),
      'GET /imgs query limit: maximum is now 100',
    ],
    [
      'takes a value less',
      (own) => drop(schemaOf(own, 'SortOrder')['enum'], 'asc'),
      'GET /imgs query sort_order: no longer takes asc',
    ],
    [
      'changes a type of what is sent',
      (own) => set(parameterOf(own, 'page')['schema'] as Json, { type: 'string' }),
      'GET /imgs query page: the type changed from integer to string',
    ],
    [
      'asks for a property',
      (own) => set(schemaOf(own, 'ImageCreateItem'), { required: ['id', 'title'] }),
      'POST /imgs body[]: title is now required',
    ],
    [
      'removes a property of what is sent',
      (own) => delete schemaOf(own, 'ImageCreateItem')['properties']?.['title'],
      'POST /imgs body[]: title was removed',
    ],
    [
      'removes a status',
      (own) => delete at(own, '/me', 'get')['responses']?.['200'],
      'GET /me: the reply 200 was removed',
    ],
    [
      'removes a property of a reply',
      (own) => delete schemaOf(own, 'Me')['properties']?.['tenant'],
      'GET /me 200: tenant was removed',
    ],
  ])('%s', (_, change, expected) => {
    expect(changesBy(change)).toContain(expected);
  });
});

it('a change of the OpenAPI document that adds breaks nobody', () => {
  expect(
    changesBy((own) => {
      set(own['paths'] as Json, { '/new': at(own, '/me', 'get') });
      (at(own, '/imgs', 'get')['parameters'] as unknown[]).push({
        name: 'new',
        in: 'query',
        schema: { type: 'string' },
      });
      set(schemaOf(own, 'Me')['properties'] as Json, { new: { type: 'string' } });
      set(schemaOf(own, 'ImageCreateItem')['properties'] as Json, { new: { type: 'string' } });
      (schemaOf(own, 'SortOrder')['enum'] as unknown[]).push('random');
      set(parameterOf(own, 'limit')['schema'] as Json, { maximum: 100_000 });
    }),
  ).toEqual([]);
});

it('clients of the last release are broken by nothing but what is accepted', () => {
  expect(execFileSync('node', ['scripts/check-contract.js'], { cwd: packageRoot, encoding: 'utf8' })).toBe('');
});
