import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { allAttached, allRecords } from './support.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  await world.picture('a.png');
  await world.picture('b.png', { color: 'tomato', width: 64 });
});
afterAll(() => world.close());

const undo = (operation: number, query = '') => client.write('POST', `/ops/${operation}/undo${query}`);
const hanging = ['pair_verdict', 'image_fingerprint', 'image_details', 'image_analysis'];

describe('undoing an operation', () => {
  it('gives changed fields their former values, in every column, in search and in facets', async () => {
    const many = Array.from({ length: 450 }, (_, n) => ({
      id: `many-${n}`,
      src_path: 'a.png',
      title: `Harbor ${n}`,
      keywords: ['boat', `k${n % 3}`],
      date: '1931-07',
    }));
    await client.write('POST', '/imgs', many);
    const search = () => client.rest('GET', '/imgs?q=harbor&count=true&facets=keywords&limit=500&sort_by=image_id');
    const [before, found] = [await allRecords(world), (await search()).body];
    const patch = many.map(({ id }, n) => ({ id, title: 'Mistake', keywords: [], date: n % 2 ? '1990' : null }));
    const patched = await client.write('PATCH', '/imgs', patch);
    expect(await allRecords(world)).not.toEqual(before);
    expect(await undo(patched.operation_id)).toMatchObject({ method: 'upd', num_total: 450, num_good: 450 });
    expect(await allRecords(world)).toEqual(before);
    expect((await search()).body).toEqual(found);
  });

  it('deletes what it created; undoing that brings the same records back', async () => {
    const made = await client.write('POST', '/imgs', [{ id: 'made', src_path: 'a.png', title: 'Made' }]);
    const before = await allRecords(world);
    const first = await undo(made.operation_id);
    expect((await client.rest('GET', '/imgs/made')).status).toBe(404);
    expect(await undo(first.operation_id)).toMatchObject({ num_good: 1, num_bad: 0 });
    expect(await allRecords(world)).toEqual(before);
  });

  it('brings deleted records back with their fingerprints, verdicts and flags, without reading their files', async () => {
    await world.picture('gone.png', { color: 'navy', width: 100, height: 80 });
    await client.write('POST', '/imgs?on_duplicate=flag', [
      { id: 'original', src_path: 'gone.png' },
      { id: 'copy', src_path: 'gone.png' },
    ]);
    await client.rest('PUT', '/verdicts/original/many-1', { verdict: 'variant' });
    const [before, hung] = [await allRecords(world), await allAttached(world, hanging)];
    expect(before['copy']).toMatchObject({ duplicate_of: 'original' });
    const deleted = await client.write('DELETE', '/imgs', [{ id: 'original' }, { id: 'many-1' }]);
    expect((await allRecords(world))['copy']).toMatchObject({ duplicate_of: null });
    await world.picture('gone.png', { color: 'red' });
    expect(await undo(deleted.operation_id)).toMatchObject({ num_total: 3, num_good: 3 });
    expect(await allRecords(world)).toEqual(before);
    expect(await allAttached(world, hanging)).toEqual(hung);
  });

  it('gives a record its former file and what was known of it', async () => {
    await world.picture('c.png', { color: 'olive', width: 120, height: 90 });
    await client.write('POST', '/imgs/file?on_duplicate=flag', { src_path: 'c.png', title: 'Old' });
    await client.rest('PUT', '/verdicts/file/many-2', { verdict: 'same' });
    const [before, hung] = [await allRecords(world), await allAttached(world, hanging)];
    const patched = await client.write('PATCH', '/imgs/file', { src_path: 'b.png', title: 'New' });
    const [after, nextHung] = [await allRecords(world), await allAttached(world, hanging)];
    const undone = await undo(patched.operation_id);
    expect([await allRecords(world), await allAttached(world, hanging)]).toEqual([before, hung]);
    await undo(undone.operation_id);
    expect([await allRecords(world), await allAttached(world, hanging)]).toEqual([after, nextHung]);
  });

  it('leaves fields that were changed since, and names who changed them and when', async () => {
    const other = await world.client({ tenant: 'tenant-1', role: 'editor' });
    const first = await client.write('PATCH', '/imgs/many-3', { title: 'First', city: 'Bilbao' });
    const second = await other.write('PATCH', '/imgs/many-3', { title: 'Second' });
    const skipped = await undo(first.operation_id);
    expect(skipped).toMatchObject({
      num_good: 0,
      num_bad: 1,
      errors: [{ code: 'conflict', field: 'title', ref: 'many-3' }],
    });
    expect(skipped.errors[0].msg).toMatch(
      new RegExp(`title was changed since then by operation ${second.operation_id} of key 'editor of tenant-1', 20`),
    );
    const read = async () => (await client.rest('GET', '/imgs/many-3?fields=title&fields=city')).body;
    expect(await read()).toEqual({ title: 'Second', city: null });
    await client.write('PATCH', '/imgs/many-3', { city: 'Bilbao' });
    expect(await undo(first.operation_id, '?on_conflict=fail')).toMatchObject({
      num_good: 0,
      num_bad: 1,
      do_strict: true,
    });
    expect(await read()).toEqual({ title: 'Second', city: 'Bilbao' });
    expect(await undo(first.operation_id, '?on_conflict=overwrite')).toMatchObject({ num_good: 1 });
    expect(await read()).toEqual({ title: 'Harbor 3', city: null });
  });

  it('of a creation leaves records that others have changed since, and of a deletion ids that are taken', async () => {
    const made = await client.write('POST', '/imgs/taken', { src_path: 'a.png', title: 'One' });
    await client.write('PATCH', '/imgs/taken', { city: 'Oslo' });
    expect((await undo(made.operation_id)).errors).toMatchObject([{ code: 'conflict', field: 'city' }]);
    const deleted = await client.write('DELETE', '/imgs/taken');
    await client.write('POST', '/imgs/taken', { src_path: 'a.png', title: 'Two' });
    expect((await undo(deleted.operation_id)).errors).toMatchObject([{ code: 'conflict', field: 'id' }]);
    const over = await undo(deleted.operation_id, '?on_conflict=overwrite');
    expect(over).toMatchObject({ num_good: 1 });
    expect((await client.rest('GET', '/imgs/taken?fields=title&fields=city')).body).toEqual({
      title: 'One',
      city: 'Oslo',
    });
    await undo(over.operation_id);
    expect((await client.rest('GET', '/imgs/taken?fields=title')).body).toEqual({ title: 'Two' });
  });

  it('of a deletion whose record is back already puts back what differs, empty fields too, or names it', async () => {
    await client.write('POST', '/imgs/back', { src_path: 'a.png', title: 'One' });
    const deleted = await client.write('DELETE', '/imgs/back');
    await undo(deleted.operation_id);
    const read = async () => (await client.rest('GET', '/imgs/back?fields=title&fields=city')).body;
    expect(await undo(deleted.operation_id)).toMatchObject({ num_good: 1, num_bad: 0 });
    await client.write('PATCH', '/imgs/back', { title: 'Two', city: 'Oslo' });
    const [skipped] = (await undo(deleted.operation_id)).errors;
    expect(skipped).toMatchObject({ code: 'conflict', msg: expect.stringMatching(/city.*title|title.*city/) });
    expect(await read()).toEqual({ title: 'Two', city: 'Oslo' });
    const again = await client.write('DELETE', '/imgs/back');
    await undo(deleted.operation_id); // As it was when it was deleted first.
    expect(await read()).toEqual({ title: 'One', city: null });
    expect((await undo(again.operation_id)).errors).toMatchObject([{ code: 'conflict' }]);
    expect(await read()).toEqual({ title: 'One', city: null });
    await undo(again.operation_id, '?on_conflict=overwrite');
    expect(await read()).toEqual({ title: 'Two', city: 'Oslo' });
    await undo(deleted.operation_id, '?on_conflict=overwrite');
    expect(await read()).toEqual({ title: 'One', city: null });
  });

  it('counts elements that are as they were, and lists them as unchanged', async () => {
    const patched = await client.write('PATCH', '/imgs/many-4', { title: 'Other' });
    await client.write('PATCH', '/imgs/many-4', { title: 'Harbor 4' });
    const undone = await undo(patched.operation_id);
    expect(undone).toMatchObject({ num_good: 1, num_bad: 0 });
    const { body } = await client.rest('GET', `/ops/${undone.operation_id}/changes`);
    expect(body).toEqual({
      results: [{ ref: 'many-4', kind: 'unchanged', fields: [], code: null, msg: null }],
      count: 1,
    });
  });
});

describe('the right to undo', () => {
  it('is that of editors for operations of their own key, and of admins for all', async () => {
    const editor = await world.client({ tenant: 'tenant-1', role: 'editor' });
    const own = await editor.write('PATCH', '/imgs/many-5', { title: 'Mine' });
    const theirs = await client.write('PATCH', '/imgs/many-6', { title: 'Theirs' });
    const refused = await editor.rest('POST', `/ops/${theirs.operation_id}/undo`);
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect(await editor.write('POST', `/ops/${own.operation_id}/undo`)).toMatchObject({ num_good: 1 });
    expect(await client.write('POST', `/ops/${theirs.operation_id}/undo`)).toMatchObject({ num_good: 1 });
    const viewer = await world.client({ tenant: 'tenant-1', role: 'viewer' });
    expect((await viewer.rest('POST', `/ops/${own.operation_id}/undo`)).status).toBe(403);
  });

  it('ends at the tenant, and at operations that have changed nothing', async () => {
    const stranger = await world.client();
    const patched = await client.write('PATCH', '/imgs/many-7', { title: 'Other' });
    expect((await stranger.rest('POST', `/ops/${patched.operation_id}/undo`)).status).toBe(404);
    const failed = await client.write('PATCH', '/imgs/nobody', { title: 'Other' });
    const { status, body } = await client.rest('POST', `/ops/${failed.operation_id}/undo`);
    expect([status, body.detail[0].msg]).toEqual([422, expect.stringContaining('has changed nothing')]);
  });

  it('leaves an entry in the audit trail', async () => {
    const patched = await client.write('PATCH', '/imgs/many-8', { title: 'Other' });
    const undone = await undo(patched.operation_id);
    const { data } = await client.graphql(
      '{ auditTrail(action: "operation.undone") { results { subject operationId } } }',
    );
    expect(data.auditTrail.results[0]).toEqual({
      subject: String(patched.operation_id),
      operationId: undone.operation_id,
    });
  });
});

describe('groups of duplicates', () => {
  it('have their members again when deleted images come back', async () => {
    const own = await world.client();
    await world.picture('twin.png', { color: 'purple', width: 80 });
    await own.write('POST', '/imgs?on_duplicate=flag', [
      { id: 'twin-1', src_path: 'twin.png' },
      { id: 'twin-2', src_path: 'twin.png' },
      { id: 'twin-3', src_path: 'twin.png' },
    ]);
    await own.write('POST', '/duplicates');
    const groups = () => allAttached(world, ['duplicate_group', 'duplicate_member']);
    const before = await groups();
    expect(before['duplicate_member']).toHaveLength(3);
    const deleted = await own.write('DELETE', '/imgs', [{ id: 'twin-2' }, { id: 'twin-1' }]);
    expect((await groups())['duplicate_group']).toEqual([]);
    await own.write('POST', `/ops/${deleted.operation_id}/undo`);
    expect(await groups()).toEqual(before);
  });
});
