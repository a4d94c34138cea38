import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { buildOpenApi, endpoints } from '../../rest/index.ts';
import { recordedExamples } from '../../rest/openapi/examples.ts';
import { schema } from '../../src/graphql/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openReplyChecker } from '../support/openapi.ts';

const document = buildOpenApi({ schema }) as any;
const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, operation]) => ({ path, method, operation })),
);

/** What clients of the contract were generated from: method, path, operation and its parameters. */
const legacy = `
GET /me me_me_get
GET /ops/ ops_list_ops__get
GET /ops/{op_id} ops_get_ops__op_id__get op_id
DELETE /ops/{op_id} ops_abort_ops__op_id__delete op_id
POST /tag/image tag_image_tag_image_post
POST /query_imgs query_imgs_query_imgs_post
GET /imgs/{image_id} img_get_imgs__image_id__get image_id fields
POST /imgs/{image_id} img_create_imgs__image_id__post image_id wait urgent strict lang
PUT /imgs/{image_id} img_replace_imgs__image_id__put image_id wait urgent strict lang
PATCH /imgs/{image_id} img_update_imgs__image_id__patch image_id wait urgent strict lang
DELETE /imgs/{image_id} img_delete_imgs__image_id__delete image_id wait urgent strict
POST /imgs imgs_create_imgs_post wait urgent strict lang
PUT /imgs imgs_replace_imgs_put wait urgent strict lang
PATCH /imgs imgs_update_imgs_patch wait urgent strict lang
DELETE /imgs imgs_delete_imgs_delete wait urgent strict
GET /imgs imgs_search_imgs_get q page limit sort_by sort_order fields facets count lang
GET /vids/{video_id} vid_get_vids__video_id__get video_id fields
POST /vids/{video_id} vid_create_vids__video_id__post video_id wait urgent strict lang
PUT /vids/{video_id} vid_replace_vids__video_id__put video_id wait urgent strict lang
PATCH /vids/{video_id} vid_update_vids__video_id__patch video_id wait urgent strict lang
DELETE /vids/{video_id} vid_delete_vids__video_id__delete video_id wait urgent strict
GET /vids vids_search_vids_get q page limit sort_by sort_order fields`;

/** Ids that the request of an example creates. */
function idsCreated({ endpoint, request }: (typeof recordedExamples)[number]): string[] {
  return endpoint.startsWith('POST') && Array.isArray(request) && !endpoint.endsWith('/delete')
    ? request.map(({ id }: { id: string }) => id)
    : [];
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(document.openapi).toBe('3.1.0');
  });

  it('has an operation for every endpoint, each with an id of its own', () => {
    const listed = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    for (const { method, path } of endpoints) expect(listed).toContain(`${method} ${path}`);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(legacy.trim().split('\n'))('knows what clients of the contract know: %s', (line) => {
    const [method = '', path = '', operationId, ...parameters] = line.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()];
    expect(operation?.operationId).toBe(operationId);
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(parameters));
  });

  it('keeps the names of the contract for schemas and the key', () => {
    const names = `HTTPValidationError ValidationError Operation_Out OpError PendingOperation TagErrorResponse IdOnly
      ImageCreate ImageCreateItem ImageUpdate ImageUpdateItem ImageField ImageSort ImageFacet VideoWrite VideoField
      VideoSort LangSearch LangWrite SortOrder Body_tag_image_tag_image_post Body_query_imgs_query_imgs_post`;
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names.split(/\s+/)));
    expect(document.components.securitySchemes).toMatchObject({
      APIKeyHeader: { type: 'apiKey', in: 'header', name: 'API-Key' },
    });
  });

  it('takes replies from the schema: every field of an operation is there and required', () => {
    const { required, properties } = document.components.schemas.Operation_Out;
    // Only a dry run says that it is one.
    expect(required).toEqual(Object.keys(properties).filter((name) => name !== 'is_dry_run'));
    const names = `method resource num_total num_good num_bad is_started is_finished all_good do_wait do_urgent do_strict
      idle_ms exec_ms created_at started_at finished_at errors operation_id`;
    expect(required).toEqual(expect.arrayContaining(names.split(/\s+/)));
    expect(properties.all_good).toMatchObject({ type: ['boolean', 'null'] });
    expect(document.components.schemas.Image.properties.n_faces).toMatchObject({ type: ['integer', 'null'] });
    expect(document.components.schemas.Image.required).toBeUndefined();
  });

  it('requires no body where a formula may take its place', () => {
    const required = (path: string, method: string) => document.paths[path][method].requestBody.required;
    expect([required('/imgs', 'delete'), required('/vids', 'delete')]).toEqual([false, false]);
    expect([required('/imgs', 'patch'), required('/imgs/delete', 'post')]).toEqual([true, true]);
  });

  it('has a schema for what a formula is written to: the fields of an update except its id and source', () => {
    for (const [changes, update] of [
      ['ImageChanges', 'ImageUpdate'],
      ['VideoChanges', 'VideoWrite'],
    ]) {
      const { properties, additionalProperties } = document.components.schemas[changes as string];
      const { src: _src, src_path: _path, ...others } = document.components.schemas[update as string].properties;
      expect([Object.keys(properties), additionalProperties]).toEqual([Object.keys(others), false]);
    }
  });

  it('uses the names of REST, not those of the schema, for fields and operations', () => {
    const text = JSON.stringify({ paths: document.paths, components: document.components });
    expect(text.match(/`[a-z]+[A-Z]\w*`/g)).toBeNull();
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(
      expect.arrayContaining(['ops_undo_ops__op_id__undo_post', 'img_purge_imgs__image_id__purge_post']),
    );
  });

  it('lists the errors that lists, formulas and uploads can end with', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path][method].responses);
    expect(statuses('/imgs', 'get')).toEqual(expect.arrayContaining(['400', '501']));
    expect(statuses('/vids', 'get')).toEqual(expect.arrayContaining(['400', '501']));
    expect(statuses('/uploads', 'post')).toEqual(expect.arrayContaining(['501', '507']));
    expect(statuses('/exports/imgs', 'post')).toContain('501');
    expect(statuses('/me', 'get')).not.toContain('400');
  });

  it('describes every parameter, field and answer', () => {
    const undescribed: string[] = [];
    const look = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      const node = value as Record<string, unknown>;
      if ('in' in node && 'name' in node && !node['description']) undescribed.push(path);
      if (typeof node['properties'] === 'object') {
        for (const [name, property] of Object.entries(node['properties'] as Record<string, any>)) {
          if (!property.description) undescribed.push(`${path}.${name}`);
        }
      }
      for (const [name, child] of Object.entries(node)) {
        if (name !== 'examples' && name !== 'example') look(child, `${path}/${name}`);
      }
    };
    look({ paths: document.paths, components: document.components }, '');
    expect(undescribed).toEqual([]);
  });

  it('shows recorded answers that are as it says they are', () => {
    const check = openReplyChecker(document);
    for (const { endpoint, name, status, answer } of recordedExamples) {
      const [method = '', path = ''] = endpoint.split(' ');
      expect(check(method, path, status, answer), `${endpoint}: ${name}`).toEqual([]);
    }
  });

  it('shows no example that changes or deletes a record which a user may have', () => {
    const catalog = JSON.parse(readFileSync(join(packageRoot, 'examples', 'catalog.json'), 'utf8')) as { id: string }[];
    const ids = [...catalog.map(({ id }) => id), ...recordedExamples.flatMap(idsCreated)];
    for (const { path, method, operation } of operations) {
      if (['get', 'post'].includes(method) && !path.endsWith('/delete')) continue;
      const shown = operation.parameters.filter((each: any) => each.in === 'path').map((each: any) => each.example);
      const bodies = Object.values<any>(operation.requestBody?.content['application/json'].examples ?? {});
      const inBodies = bodies.flatMap(({ value }) => (Array.isArray(value) ? value.map(({ id }) => id) : []));
      for (const id of [...shown, ...inBodies]) expect(ids, `${method} ${path}`).not.toContain(id);
    }
  });

  it('is what docs/openapi.json holds', () => {
    const committed = JSON.parse(readFileSync(join(packageRoot, 'docs', 'openapi.json'), 'utf8'));
    expect(committed).toEqual(JSON.parse(JSON.stringify(document)));
  });
});
