import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Database } from '../../../src/backing/index.ts';
import { forgetChanges, noteChanges } from '../../../src/search/index.ts';
import { openLease } from '../../../src/search/meilisearch/lease.ts';
import { readOutbox, settleChanges } from '../../../src/search/meilisearch/outbox.ts';
import { openClone } from '../../support/database.ts';
import type { OpenClone } from '../../support/database.ts';

let clone: OpenClone;
let database: Database;

beforeAll(async () => {
  clone = await openClone(inject('postgresUrl'));
  database = clone.database;
});
afterAll(() => clone.close());
beforeEach(async () => {
  await database.pool.query('DELETE FROM image');
  await forgetChanges(database);
});

const insert = `INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height)
  SELECT 1, 'image-' || n, 'en', 'png', 1, '', 1, 1 FROM generate_series(1, $1::int) AS n`;
const update = `UPDATE image SET title = $1 WHERE image_id = 'image-1'`;

const waiting = async () =>
  (await readOutbox(database, 100)).changes.map(({ resource, rowId }) => `${resource} ${rowId}`).toSorted();
const rows = async () =>
  (await database.pool.query<{ row: string }>(`SELECT 'image ' || row_id AS row FROM image`)).rows
    .map(({ row }) => row)
    .toSorted();

describe('changes of records', () => {
  it('are not recorded while Meilisearch is not configured, nor after it was removed', async () => {
    await database.pool.query(insert, [3]);
    expect(await waiting()).toEqual([]);
    await noteChanges(database);
    await database.pool.query(update, ['a']);
    await forgetChanges(database);
    await database.pool.query(update, ['b']);
    expect(await waiting()).toEqual([]);
  });

  it('are noted down once for each record, however often it changes', async () => {
    await noteChanges(database);
    await database.pool.query(insert, [3]);
    for (const title of ['a', 'b', 'c']) await database.pool.query(update, [title]);
    expect(await waiting()).toEqual(await rows());
  });

  it('are noted down in the transaction that makes them', async () => {
    await noteChanges(database);
    const client = new pg.Client({ connectionString: clone.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(insert, [2]);
    expect(await waiting()).toEqual([]);
    await client.query('ROLLBACK');
    expect(await waiting()).toEqual([]);
    await client.query('BEGIN');
    await client.query(insert, [2]);
    await client.query('COMMIT');
    expect(await waiting()).toEqual(await rows());
    await client.end();
  });

  it('are noted down of records that go', async () => {
    await database.pool.query(insert, [2]);
    await noteChanges(database);
    const before = await rows();
    await database.pool.query('DELETE FROM image');
    expect(await waiting()).toEqual(before);
  });

  it('stay if the record changes again while they are sent', async () => {
    await noteChanges(database);
    await database.pool.query(insert, [2]);
    const read = await readOutbox(database, 100);
    await database.pool.query(update, ['later']);
    await settleChanges(database, read, new Map());
    expect(await waiting()).toHaveLength(1);
    await settleChanges(database, await readOutbox(database, 100), new Map());
    expect(await waiting()).toEqual([]);
  });

  it('do not wait for a writer that holds them, and stay', async () => {
    await noteChanges(database);
    await database.pool.query(insert, [2]);
    const client = new pg.Client({ connectionString: clone.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(update, ['open']);
    await settleChanges(database, await readOutbox(database, 100), new Map());
    expect(await waiting()).toHaveLength(1);
    await client.query('COMMIT');
    await client.end();
    expect(await waiting()).toHaveLength(1);
  });

  it('that were refused are kept with the reason, and sent again when the record changes', async () => {
    await noteChanges(database);
    await database.pool.query(insert, [2]);
    const read = await readOutbox(database, 100);
    const [first] = read.changes;
    await settleChanges(database, read, new Map([[Number(first?.rowId), 'bad']]));
    expect(await waiting()).toEqual([]);
    const kept = await database.pool.query('SELECT row_id::text AS row, error FROM search_outbox');
    expect(kept.rows).toEqual([{ row: first?.rowId, error: 'bad' }]);
    await database.pool.query(`UPDATE image SET title = 'mended'`);
    expect(await waiting()).toEqual(await rows());
  });
});

describe('the lease of the indexer', () => {
  it('is held by one at a time, and by another once it is given back', async () => {
    await noteChanges(database);
    const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'].map((id) =>
      openLease(database, id),
    );
    expect([await one?.hold(), await other?.hold(), await one?.hold()]).toEqual([true, false, true]);
    expect(() => other?.assertHeld()).toThrow('another process');
    await one?.release();
    expect([await other?.hold(), await one?.hold()]).toEqual([true, false]);
    await other?.release();
  });

  it('is had by another once it has run out', async () => {
    await noteChanges(database);
    const lease = openLease(database, '33333333-3333-4333-8333-333333333333');
    expect(await lease.hold()).toBe(true);
    await database.pool.query(`UPDATE search_index SET lease_expires_at = now() - interval '1 s'`);
    const other = openLease(database, '44444444-4444-4444-8444-444444444444');
    expect(await other.hold()).toBe(true);
    await other.release();
    await lease.release();
  });
});
