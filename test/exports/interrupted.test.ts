import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../src/app/open-files.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { ChunkLostError } from '../../src/operations/analyze/chunk-lost.ts';
import { exportRecords } from '../../src/operations/export/export-records.ts';
import type { OperationWorker } from '../../src/operations/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let worker: OperationWorker;
let server: Server;
/** Requests that are not answered while this is set. */
let hanging: ServerResponse[] | null = null;

beforeAll(async () => {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  server = createServer((_request, response) => {
    if (hanging === null) response.setHeader('Content-Type', 'image/jpeg').end(picture);
    else hanging.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  world = await openWorld({ worker: false, sourceAllow: '127.0.0.0/8' });
  worker = world.startWorker();
  client = await world.client({ role: 'editor' });
  const src = `http://127.0.0.1:${port}/a.jpg`;
  await client.write('POST', '/imgs', [{ id: 'a', src, title: 'A boat' }]);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
});
beforeEach(() => {
  hanging = [];
});

/** Starts an export that waits for its source. */
async function startHanging(): Promise<number> {
  const { body } = await client.rest('POST', '/exports/imgs', { ids: ['a'], format: 'zip' });
  await expect.poll(() => hanging?.length, { timeout: 20_000 }).toBe(1);
  return body.operation_id as number;
}

const operation = async (id: number) => (await client.rest('GET', `/ops/${id}`)).body;
const storedFiles = () => {
  const entries = readdirSync(world.media, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.parentPath.startsWith(join(world.media, 'exports')));
};

describe('an export that is under way', () => {
  it('ends when it is aborted, and leaves nothing', async () => {
    const id = await startHanging();
    expect(await operation(id)).toMatchObject({ is_started: true, is_finished: false, num_total: 1 });
    const closed = once(hanging?.[0] as ServerResponse, 'close');
    expect((await client.rest('DELETE', `/ops/${id}`)).body).toMatchObject({ is_aborted: true });
    await closed;
    const rows = 'SELECT count(*)::int AS n FROM export_file WHERE operation_id = $1';
    await expect
      .poll(async () => (await world.backing.database.pool.query<{ n: number }>(rows, [id])).rows[0]?.n)
      .toBe(0);
    expect(storedFiles()).toEqual([]);
    expect((await client.rest('GET', `/exports/${id}`)).status).toBe(404);
  });

  it('does not hold up writes', async () => {
    const id = await startHanging();
    expect(await client.write('PATCH', '/imgs/a', { title: 'Another boat' })).toMatchObject({ num_good: 1 });
    expect(await operation(id)).toMatchObject({ is_finished: false });
    await client.rest('DELETE', `/ops/${id}`);
  });

  it('keeps its errors and its file when a worker that had lost it goes on late', async () => {
    const id = await startHanging();
    const { database } = world.backing;
    const { rows } = await database.pool.query<{ tenant: number; number: number; owner: string }>(
      `SELECT tenant_id AS tenant, number, begun_by AS owner FROM operation_analysis WHERE operation_id = $1`,
      [id],
    );
    const [{ tenant, number, owner } = expect.fail('it is not being written')] = rows;
    await database.pool.query(
      `INSERT INTO operation_error (operation_id, position, tenant_id, ref, code, message) VALUES ($1, 1, $2, 'b', 'c', 'd')`,
      [id, tenant],
    );
    const own = (by: string) =>
      database.pool.query('UPDATE operation_analysis SET begun_by = $2 WHERE operation_id = $1', [id, by]);
    const late = randomUUID();
    const db = forTenant(database, tenant);
    /** The late worker's first statement is the last one that finds the export in its hands. */
    const query: TenantDb['query'] = async (...asked) => {
      const answer = await db.query(...asked);
      await own(owner);
      return answer as never;
    };
    await own(late);
    const files = openFiles(readConfig({ DATA_DIR: world.media }), database);
    const chunk = {
      tenantId: tenant,
      operationId: id,
      number,
      rank: 0,
      order: 0,
      positions: [0],
      refs: ['a'],
      done: [],
      deaths: null,
      kind: 'images.export',
    };
    const context = {
      ...files,
      db: { ...db, tenantId: 0, query },
      processId: late,
      logger: createLogger('fatal'),
      isOneByOne: false,
      signal: new AbortController().signal,
    };
    await expect(exportRecords(chunk, context)).rejects.toThrow(ChunkLostError);
    const kept = `SELECT (SELECT count(*)::int FROM operation_error WHERE operation_id = $1) AS errors,
                         (SELECT count(*)::int FROM export_file WHERE operation_id = $1 AND expires_at > now()) AS files`;
    expect((await database.pool.query(kept, [id])).rows).toEqual([{ errors: 1, files: 1 }]);
    await client.rest('DELETE', `/ops/${id}`);
  });

  it('begins again in another worker when its own ends', async () => {
    const id = await startHanging();
    await worker.close();
    hanging = null;
    worker = world.startWorker();
    await expect.poll(async () => (await operation(id)).is_finished, { timeout: 30_000 }).toBe(true);
    expect(await operation(id)).toMatchObject({ num_good: 1, num_bad: 0, is_aborted: false });
    expect((await client.rest('GET', `/exports/${id}`)).body).toMatchObject({ num_records: 1 });
    expect(storedFiles()).toHaveLength(1);
  });
});
