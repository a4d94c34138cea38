import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkArchive, openArchive, writeArchive } from '../../src/backup/index.ts';
import { cloneDatabase } from '../support/database.ts';
import { meili, skipped } from '../support/meilisearch.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let operator: Client;
let admin: Client;
let url: string;
beforeAll(async () => {
  const database = await cloneDatabase(inject('postgresUrl'));
  ({ url } = database);
  world = await openWorld({ database });
  operator = await world.client({ tenant: 'default' });
  admin = await world.client({ tenant: 'agency' });
  await world.picture('a.png');
  await admin.write('POST', '/imgs', [{ id: 'a', src_path: 'a.png', title: 'Of the agency' }]);
});
afterAll(() => world.close());

const audited = async (action: string) => {
  const { data } = await operator.graphql(`{ auditTrail(action: "${action}") { results { subject keyPrefix } } }`);
  return data.auditTrail.results as { subject: string; keyPrefix: string }[];
};

describe('GET /backup', () => {
  it('sends an archive of all tenants that can be restored, and audits it with its digest', async () => {
    const answer = await fetch(`${world.url}/backup`, { headers: { 'API-Key': operator.key } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="vitrine-\d{4}-\d\d-\d\d\.tar\.gz"$/,
    );
    const archive = await openArchive(Readable.from([Buffer.from(await answer.arrayBuffer())]));
    await expect.poll(() => audited('backup.completed')).toHaveLength(1);
    const [{ subject: digest } = { subject: '' }] = await audited('backup.completed');
    expect(await checkArchive(archive.read(), { key: null, digest })).toBe(digest);
    await archive.close();
    const [begun] = await audited('backup.begun');
    expect(begun).toEqual({ subject: 'database, data, uploads', keyPrefix: operator.key.slice(0, 11) });
  });

  it('is refused while another one is sent, and possible again when that one is given up', async () => {
    const other = writeArchive({ url, folders: {}, isAlone: true });
    await other.next();
    const refused = await operator.rest('GET', '/backup');
    expect([refused.status, refused.body]).toEqual([
      503,
      { detail: 'Another backup is being downloaded', code: 'unavailable', hint: 'Try again when it has ended' },
    ]);
    await other.return(undefined);
    const giveUp = new AbortController();
    const begun = await fetch(`${world.url}/backup`, { headers: { 'API-Key': operator.key }, signal: giveUp.signal });
    expect(begun.status).toBe(200);
    giveUp.abort();
    await expect.poll(async () => (await operator.rest('HEAD', '/backup')).status).toBe(200);
    await expect.poll(async () => (await operator.rest('GET', '/backup')).status, { timeout: 20_000 }).toBe(200);
  });

  it('is for admin keys of the first tenant alone', async () => {
    const viewer = await world.client({ tenant: 'default', role: 'viewer' });
    const narrow = await world.client({ tenant: 'default', scopes: ['service:manage'] });
    const status = async (client: Client) => (await client.rest('HEAD', '/backup')).status;
    expect(await Promise.all([admin, viewer, narrow].map(status))).toEqual([403, 403, 200]);
    expect((await fetch(`${world.url}/backup`)).status).toBe(401);
    const { body } = await admin.rest('GET', '/backup');
    expect(body).toMatchObject({ code: 'forbidden', required_scope: 'service:manage' });
  });

  it('says which value of a parameter is wrong', async () => {
    const { status, body } = await operator.rest('GET', '/backup?media=yes');
    expect([status, body]).toEqual([422, { detail: 'media must be true or false', code: 'invalid_argument' }]);
  });
});

describe('rebuilding the search', () => {
  it('says without Meilisearch that there is nothing to rebuild', async () => {
    const { data } = await operator.graphql('{ serviceState { search { pending } } }');
    expect(data.serviceState.search).toBeNull();
    const { errors } = await operator.graphql('mutation { rebuildSearchIndexes { pending } }');
    expect(errors).toMatchObject([
      { message: 'Meilisearch is not configured', extensions: { code: 'not_implemented' } },
    ]);
  });

  it.skipIf(meili === null)(`asks for new indexes, whose progress it reports (${skipped})`, async () => {
    const searching = await openWorld({ hasMeilisearch: true });
    const own = await searching.client({ tenant: 'default' });
    const { data } = await own.graphql(
      'mutation { rebuildSearchIndexes(resource: image) { indexes { resource isRebuilding } } }',
    );
    expect(data.rebuildSearchIndexes.indexes).toContainEqual({ resource: 'image', isRebuilding: true });
    const isDone = async () => {
      const { data: now } = await own.graphql('{ serviceState { search { indexes { isReady isRebuilding } } } }');
      return now.serviceState.search.indexes;
    };
    await expect.poll(isDone, { timeout: 60_000 }).toEqual([
      { isReady: true, isRebuilding: false },
      { isReady: true, isRebuilding: false },
    ]);
    await searching.close();
  });
});
