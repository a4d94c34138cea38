import { afterEach, describe, expect, it, vi } from 'vitest';
import { openEngineClient } from '../../src/backing/index.ts';
import { engineLag, noteChanges } from '../../src/search/index.ts';
import { readDocumentsAfter } from '../../src/search/engine/documents.ts';
import type { EngineDocument } from '../../src/search/engine/documents.ts';
import { finished, send } from '../operations/support.ts';
import { dropIndexes, meili, skipped, upToDate } from '../support/engine.ts';
import type { Client } from '../support/world.ts';
import { kill } from '../support/worker-process.ts';
import { openCluster } from './support.ts';
import type { Cluster } from './support.ts';

let cluster: Cluster;
afterEach(() => cluster.close());

const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await cluster.database.pool.query(text, values)).rows as Row[];

/** Looks until a number that is asked of the database is beyond zero; it is looked at often, to be early. */
async function whenSome(text: string): Promise<void> {
  const look = async () => expect((await rows<{ n: number }>(text))[0]?.n).toBeGreaterThan(0);
  await vi.waitFor(look, { timeout: 60_000, interval: 5 });
}

it('a worker that is killed while it analyses loses no picture, and none is counted twice', async () => {
  cluster = await openCluster({ apis: 1, workers: 1, environment: { AI_ANALYSIS: 'on' } });
  await cluster.picture('p.png');
  const [client] = (await cluster.clients()) as [Client];
  const elements = Array.from({ length: 48 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
  const id = await send(client, 'POST', '/imgs', elements);
  await whenSome(`SELECT num_analyzed AS n FROM operation WHERE id = ${id}`);
  const [first] = cluster.workers;
  if (first === undefined) throw new Error('there is a worker');
  await kill(first);
  const [left] = await rows<{ n: number }>(`SELECT num_analyzed AS n FROM operation WHERE id = ${id}`);
  expect(left?.n).toBeLessThan(48);
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  const record = await finished(client, id, 90_000);
  expect(record).toMatchObject({ num_total: 48, num_good: 48, num_bad: 0, analysis_errors: [] });
  expect(record.stages[1]).toMatchObject({ num_total: 48, num_good: 48, num_bad: 0, is_finished: true });
  const analysed = `SELECT count(*)::int AS n FROM image_analysis JOIN image USING (row_id) WHERE ai_status = 'ready'`;
  expect(await rows(analysed)).toEqual([{ n: 48 }]);
  expect(await rows('SELECT FROM operation_analysis')).toEqual([]);
}, 240_000);

describe.skipIf(meili === null)(`a worker that tells Meilisearch (${meili === null ? skipped : 'there is one'})`, () => {
  const records = 2800;
  /** Few words, and many keywords that only lie in documents: several messages, soon indexed. */
  const insert = `
    INSERT INTO image (tenant_id, image_id, lang, format, byte_size, checksum, width, height, title, country, keywords)
    SELECT $1, 'image-' || n, 'en', 'png', 1, '', 100 + n, 100, 'Sunset ' || n, 'es',
           (SELECT array_agg('a keyword that is long, number ' || (n + k) % 300) FROM generate_series(1, 60) AS k)
    FROM generate_series(1, ${records}) AS n`;
  /** Nobody has the lease of a worker that is dead; it would run out in twenty seconds. */
  const endLease = 'UPDATE search_index SET held_until = now()';

  /** What the engine keeps of images, and what it would keep if it were told of all of them now; by id. */
  async function bothCopies(): Promise<Record<'told' | 'true', Map<number, EngineDocument>>> {
    if (meili === null) throw new Error(skipped);
    const client = openEngineClient(meili);
    const [index] = await rows<{ uid: string }>(`SELECT uid FROM search_index WHERE resource = 'image'`);
    const copies = { told: new Map<number, EngineDocument>(), true: new Map<number, EngineDocument>() };
    for (let offset = 0; ; offset += 2000) {
      const { results } = await client.writer.index(index?.uid ?? '').getDocuments({ offset, limit: 2000 });
      for (const document of results) copies.told.set(Number(document['id']), document as EngineDocument);
      if (results.length === 0) break;
    }
    for (let last = 0; ;) {
      const some = await readDocumentsAfter(cluster.database, 'image', last, 2000);
      for (const document of some) copies.true.set(document.id, JSON.parse(JSON.stringify(document)) as EngineDocument);
      last = some.at(-1)?.id ?? 0;
      if (some.length === 0) break;
    }
    await dropIndexes(cluster.database, client);
    client.close();
    return copies;
  }

  it('and is killed while it fills an index, and another while it tells of changes: the engine has what the database has', async () => {
    if (meili === null) throw new Error(skipped);
    const environment = { MEILI_URL: meili.url, ...(meili.key !== undefined && { MEILI_KEY: meili.key }) };
    cluster = await openCluster({ apis: 1, workers: 0, environment });
    const [client] = (await cluster.clients()) as [Client];
    await noteChanges(cluster.database);
    const { id: tenant } = await cluster.database.prisma.tenant.findUniqueOrThrow({ where: { name: 'tenant-1' } });
    await rows(insert, [tenant]);
    await rows('DELETE FROM search_outbox'); // As if these records had been there before the engine was.

    const first = await cluster.startWorker();
    await whenSome(`SELECT filled AS n FROM search_index WHERE resource = 'image' AND next_uid IS NOT NULL`);
    await kill(first);
    await rows(endLease);
    expect((await engineLag(cluster.database)).indexes.every(({ isReady }) => isReady)).toBe(false);
    await rows(`UPDATE image SET country = 'fr' WHERE width % 3 = 0`);
    await rows(`DELETE FROM image WHERE width % 7 = 0`);

    const second = await cluster.startWorker();
    await upToDate(cluster.database);
    await rows(`UPDATE image SET title = 'Dawn ' || width`);
    await whenSome(`SELECT ${records} * 6 / 7 - count(*)::int AS n FROM search_outbox`);
    await kill(second);
    await rows(endLease);
    await rows(`UPDATE image SET country = 'pt' WHERE width % 5 = 0`);

    await Promise.all([cluster.startWorker(), cluster.startWorker()]);
    await upToDate(cluster.database);
    const answer = await client.rest('GET', '/imgs?q=country:pt+dawn&count=true&limit=1');
    expect(answer.headers.get('search-engine')).toContain('count=meilisearch');
    const [counted] = await rows<{ n: number }>(`SELECT count(*)::int AS n FROM image WHERE country = 'pt'`);
    expect(answer.body.count).toBe(counted?.n);
    const copies = await bothCopies();
    expect(copies.told.size).toBe(copies.true.size);
    for (const [id, document] of copies.true) expect(copies.told.get(id)).toEqual(document);
  }, 240_000);
});
