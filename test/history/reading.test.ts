import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  await world.picture('a.png');
  await world.picture('b.png', { width: 90, height: 50 });
});
afterAll(() => world.close());

/** A moment that no change shares. */
async function moment(): Promise<string> {
  await sleep(5);
  const at = new Date().toISOString();
  await sleep(5);
  return at;
}

const change = (field: string, before: unknown, after: unknown) => {
  return { field, before, after, before_provenance: null, after_provenance: null };
};

describe('the history of a record', () => {
  it('lists its changes, newest first, with operation, key and each field before and after', async () => {
    const made = await client.write('POST', '/imgs/one', { src_path: 'a.png', title: 'Sea' });
    const first = await client.write('PATCH', '/imgs/one', { title: 'Lake', city: 'Oslo' });
    const second = await client.write('PATCH', '/imgs/one', { title: 'Pond' });
    const { body } = await client.rest('GET', '/imgs/one/history');
    expect(body.count).toBe(3);
    const by = { key_name: 'admin of tenant-1', key_prefix: client.key.slice(0, 11), at: expect.any(String) };
    expect(body.results.slice(0, 2)).toEqual([
      { operation_id: second.operation_id, action: 'changed', ...by, fields: [change('title', 'Lake', 'Pond')] },
      {
        operation_id: first.operation_id,
        action: 'changed',
        ...by,
        fields: [change('title', 'Sea', 'Lake'), change('city', null, 'Oslo')],
      },
    ]);
    expect(body.results[2]).toMatchObject({ operation_id: made.operation_id, action: 'created' });
    expect(body.results[2].fields).toContainEqual(change('title', null, 'Sea'));
    expect(body.results[2].fields).not.toContainEqual(expect.objectContaining({ field: 'city' }));
    const page = (await client.rest('GET', '/imgs/one/history?limit=1&page=2')).body;
    expect(page.results).toMatchObject([{ operation_id: first.operation_id }]);
  });

  it('goes on after the record was deleted, and is that of no other tenant', async () => {
    await client.write('POST', '/imgs/late', { src_path: 'a.png', title: 'Late' });
    await client.write('DELETE', '/imgs/late');
    const { body } = await client.rest('GET', '/imgs/late/history');
    expect(body.results.map(({ action }: { action: string }) => action)).toEqual(['deleted', 'created']);
    expect(body.results[0].fields).toContainEqual(change('title', 'Late', null));
    const stranger = await world.client();
    expect((await stranger.rest('GET', '/imgs/late/history')).status).toBe(404);
    expect((await client.rest('GET', '/imgs/never/history')).body).toEqual({ detail: 'Image not found' });
  });

  it('is a field of images and videos in GraphQL', async () => {
    const { data } = await client.graphql(
      '{ image(id: "one") { title history(limit: 1) { count results { action fields { field before after } } } } }',
    );
    expect(data.image).toEqual({
      title: 'Pond',
      history: {
        count: 3,
        results: [{ action: 'changed', fields: [{ field: 'title', before: 'Lake', after: 'Pond' }] }],
      },
    });
    expect((await client.graphql('{ videoHistory(id: "none") { count } }')).data).toEqual({ videoHistory: null });
  });
});

describe('a record at a moment', () => {
  it('is read as it was: before it was made, between changes, with its former file, and before it was deleted', async () => {
    const read = async (at: string) => {
      const { status, body } = await client.rest(
        'GET',
        `/imgs/past?fields=title&fields=width&fields=keywords&at=${at}`,
      );
      return status === 200 ? body : status;
    };
    const moments = [await moment()];
    await client.write('POST', '/imgs/past', { src_path: 'a.png', title: 'One', keywords: ['x'] });
    moments.push(await moment());
    await client.write('PATCH', '/imgs/past', { title: 'Two', keywords: null });
    moments.push(await moment());
    await client.write('PATCH', '/imgs/past', { src_path: 'b.png' });
    moments.push(await moment());
    await client.write('DELETE', '/imgs/past');
    moments.push(await moment());
    await client.write('POST', '/imgs/past', { src_path: 'a.png', title: 'Again' });
    moments.push(await moment());
    const found = [];
    for (const at of moments) found.push(await read(at));
    expect(found).toEqual([
      404,
      { title: 'One', width: 40, keywords: ['x'] },
      { title: 'Two', width: 40, keywords: null },
      { title: 'Two', width: 90, keywords: null },
      404,
      { title: 'Again', width: 40, keywords: null },
    ]);
  });

  it('that is before the history, or yet to come, is refused with the reason', async () => {
    const old = await client.rest('GET', '/imgs/one?at=2001-01-01T00:00:00Z');
    expect([old.status, old.body.detail[0].msg]).toEqual([422, expect.stringContaining('reaches back to')]);
    const coming = await client.rest('GET', '/imgs/one?at=2999-01-01T00:00:00Z');
    expect([coming.status, coming.body.detail[0].msg]).toEqual([422, 'at must not be in the future']);
  });

  it('is restored to for an id of any characters', async () => {
    const query =
      'mutation ($id: ID!, $at: DateTime!) { restoreImage(id: $id, at: $at, wait: true) { ... on Operation { errors { code } } } }';
    for (const id of ['😀'.repeat(200), 'a\0', '\ud83d']) {
      const { data, errors } = await client.graphql(query, { id, at: new Date().toISOString() });
      expect([errors, data?.restoreImage.errors]).toMatchObject([undefined, [{ code: expect.any(String) }]]);
    }
  });

  it('is what a record is restored to, one that was deleted too', async () => {
    await client.write('POST', '/imgs/back', { src_path: 'a.png', title: 'One', city: 'Oslo' });
    const first = await moment();
    await client.write('PATCH', '/imgs/back', { src_path: 'b.png', title: 'Two', keywords: ['x'] });
    const second = await moment();
    await client.write('DELETE', '/imgs/back');
    const read = async () =>
      (await client.rest('GET', '/imgs/back?fields=title&fields=city&fields=width&fields=keywords')).body;
    expect(await client.write('POST', `/imgs/back/restore?at=${second}`)).toMatchObject({ num_good: 1 });
    expect(await read()).toEqual({ title: 'Two', city: 'Oslo', width: 90, keywords: ['x'] });
    expect(await client.write('POST', `/imgs/back/restore?at=${first}`)).toMatchObject({ num_good: 1 });
    expect(await read()).toEqual({ title: 'One', city: 'Oslo', width: 40, keywords: null });
    const none = await client.write('POST', `/imgs/nobody/restore?at=${first}`);
    expect(none).toMatchObject({ num_bad: 1, errors: [{ code: 'not_found', ref: 'nobody' }] });
    expect((await client.rest('POST', '/imgs/back/restore')).body.detail).toMatchObject([
      { type: 'missing', loc: ['query', 'at'], msg: 'Field required' },
    ]);
    const { data } = await client.graphql('{ auditTrail(action: "record.restored") { results { subject } } }');
    expect(data.auditTrail.results[1].subject).toBe(`image 'back' ${first}`);
  });
});

describe('the changes of an operation', () => {
  it('say of each element what became of it, and of each field what it was before and after', async () => {
    await client.write('POST', '/imgs', [
      { id: 'p', src_path: 'a.png', title: 'P' },
      { id: 'q', src_path: 'a.png', title: 'Q' },
    ]);
    const { operation_id: id } = await client.write('PUT', '/imgs?upsert=true', [
      { id: 'p', src_path: 'a.png', title: 'New' },
      { id: 'q', src_path: 'a.png', title: 'Q' },
      { id: 'r', src_path: 'a.png', title: 'R' },
      { id: 's' },
    ]);
    await client.write('PATCH', '/imgs/p', { title: 'Newer' });
    const list = async (query = '') => (await client.rest('GET', `/ops/${id}/changes${query}`)).body;
    const all = await list();
    expect(all.count).toBe(4);
    expect(all.results).toMatchObject([
      { ref: 'p', kind: 'changed', fields: [change('title', 'P', 'New')], code: null },
      { ref: 'r', kind: 'created' },
      { ref: 'q', kind: 'unchanged', fields: [] },
      { ref: 's', kind: 'failed', fields: [], code: 'source_missing', msg: 'give exactly one of src and src_path' },
    ]);
    expect(all.results[1].fields).toContainEqual(change('title', null, 'R'));
    expect((await list('?kind=failed')).results).toMatchObject([{ ref: 's' }]);
    expect((await list('?element=q')).results).toMatchObject([{ ref: 'q', kind: 'unchanged' }]);
    expect((await list('?field=city')).results).toMatchObject([{ ref: 'r', kind: 'created', fields: [] }]);
    expect(await list('?limit=1&page=3')).toMatchObject({ count: 4, results: [{ ref: 'q' }] });
  });

  it('are those of deletions too, and can be read of records that are deleted since', async () => {
    await client.write('POST', '/imgs/x', { src_path: 'a.png', title: 'X' });
    const patched = await client.write('PATCH', '/imgs/x', { title: 'Y' });
    const deleted = await client.write('DELETE', '/imgs/x');
    const list = async (id: number) => (await client.rest('GET', `/ops/${id}/changes`)).body.results;
    expect(await list(patched.operation_id)).toMatchObject([{ ref: 'x', fields: [change('title', 'X', 'Y')] }]);
    const [gone] = await list(deleted.operation_id);
    expect(gone).toMatchObject({ ref: 'x', kind: 'deleted' });
    expect(gone.fields).toContainEqual(change('title', 'Y', null));
  });

  it('need the right to read the records', async () => {
    const { operation_id: id } = await client.write('PATCH', '/imgs/p', { title: 'Newest' });
    const narrow = await world.client({ tenant: 'tenant-1', role: 'editor', scopes: ['ops:read'] });
    expect((await narrow.rest('GET', `/ops/${id}/changes`)).status).toBe(403);
  });
});
