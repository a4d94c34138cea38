import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect, inject, it } from 'vitest';
import { openDatabase, openMeilisearchClient } from '../../../src/backing/index.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { startIndexer } from '../../../src/search/index.ts';
import { cloneDatabase } from '../../support/database.ts';
import { upToDate } from '../../support/meilisearch.ts';
import { full } from '../../support/effort.ts';

const logger = createLogger('fatal');

type Stored = Readonly<{ id: number; width: number }>;

/** Applies messages to the documents of indexes in their order, as Meilisearch does. */
function openKeeper() {
  const indexes = new Map<string, Map<number, Stored>>();
  async function obey(request: IncomingMessage): Promise<object> {
    const [, kind, uid = '', , action] = (request.url ?? '').split(/[/?]/);
    const said = await text(request);
    if (kind === 'tasks') return { uid: Number(uid), status: 'succeeded' };
    if (uid === '') indexes.set(JSON.parse(said).uid, new Map());
    if (request.method === 'DELETE') indexes.delete(uid);
    const documents = indexes.get(uid);
    if (action === 'delete-batch') for (const id of JSON.parse(said)) documents?.delete(Number(id));
    else if (request.url?.includes('/documents')) {
      for (const line of said.split('\n')) {
        const { id, n_width: width } = JSON.parse(line);
        documents?.set(id, { id, width });
      }
    }
    return { taskUid: 1, uid };
  }
  const server = createServer((request, response) => {
    void obey(request).then((answer) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  });
  return { server, indexes };
}

/** Each reading of records for a new index takes a while; `then` is called after the first. */
function readSlowly(pool: pg.Pool, then: () => Promise<void>): void {
  const query = pool.query;
  let count = 0;
  pool.query = async function slow(this: pg.Pool, ...args: unknown[]) {
    const answer = await Reflect.apply(query, this, args);
    if ((args[0] as { name?: string }).name !== 'documents-after-images') return answer;
    if ((count += 1) === 1) await then();
    await sleep(600);
    return answer;
  } as typeof query;
}

it(
  'an index that is being filled keeps what changes after it was read, for as long as the filling takes',
  full,
  async () => {
    const clone = await cloneDatabase(inject('postgresUrl'));
    const database = openDatabase({ url: clone.url, logger });
    const { server, indexes } = openKeeper();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = openMeilisearchClient({ urls: [`http://127.0.0.1:${port}`], key: undefined });
    await database.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
    await database.pool.query(`
    INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height)
    SELECT 1, 'image-' || n, 'en', 'png', 1, '', 100, 100 FROM generate_series(1, 1200) AS n`);
    readSlowly(database.pool, async () => {
      await database.pool.query(`DELETE FROM image WHERE image_id = 'image-1'`);
      await database.pool.query(`UPDATE image SET width = 200 WHERE image_id = 'image-2'`);
    });
    const indexer = startIndexer({ database, client, logger });
    await upToDate(database);
    await indexer.close();
    const { rows } = await database.pool.query<Stored>('SELECT row_id AS id, width FROM image ORDER BY row_id');
    const indexed = [...indexes]
      .filter(([uid]) => uid.includes('_image_'))
      .map(([, documents]) => [...documents.values()]);
    expect(indexed.map((documents) => documents.toSorted((a, b) => a.id - b.id))).toEqual([rows]);
    client.close();
    server.close();
    await database.close();
    await clone.drop();
  },
);
