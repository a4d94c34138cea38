import { describe, expect, it } from 'vitest';
import { openMeilisearchClient } from '../../src/backing/index.ts';
import { meili, skipped } from '../support/meilisearch.ts';
import { onDatabase } from '../support/database.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { findEmbeddedPostgres } from '../../src/backing/index.ts';
import { join } from 'node:path';
import { packageRoot } from '../../src/lib/package-root.ts';

const key = 'key-of-the-meilisearch-test';

/** Removes what the program created in Meilisearch. */
async function clean(uids: readonly string[], address: NonNullable<typeof meili>): Promise<void> {
  const client = openMeilisearchClient(address);
  for (const uid of uids) await client.members[0].writer.deleteIndex(uid);
  client.close();
}

describe.skipIf(meili === null)(`the service with Meilisearch (${meili === null ? skipped : 'Meilisearch'})`, () => {
  it('fills it, reports which backend answers and how far it is behind, and rebuilds its indexes by one command', async () => {
    if (meili === null) throw new Error(skipped);
    const DATA_DIR = newFolder();
    const MEDIA_ROOTS = join(packageRoot, 'examples', 'pictures');
    const engine = { MEILI_URL: meili.urls[0], ...(meili.key !== undefined && { MEILI_KEY: meili.key }) };
    const environment = { DATA_DIR, MEDIA_ROOTS, ADMIN_API_KEY: key, AI_ANALYSIS: 'off', ...engine };
    const server = await start(environment);
    const client = createClient(server.url, key);
    const image = { id: 'boats', src_path: 'nagasaki-boats.jpg', title: 'Boats', country: 'jp' };
    await client.write('POST', '/imgs?lang=en', [image]);
    const isTold = async () => {
      const { search } = (await client.rest('GET', '/ready')).body;
      return [search.meilisearch, search.pending, search.lag_seconds, search.refused];
    };
    await expect.poll(isTold, { timeout: 30_000 }).toEqual(['ok', 0, 0, 0]);
    const page = await client.rest('GET', '/imgs?q=boats+country:JP&count=true&facets=country&fields=image_id');
    expect(page.body).toEqual({
      results: [{ image_id: 'boats' }],
      count: 1,
      facets: { country: [{ value: 'jp', count: 1 }] },
    });
    expect(page.headers.get('search-backend')?.split(', ').toSorted()).toEqual([
      'count=meilisearch',
      'facets.country=meilisearch',
      'results=meilisearch',
    ]);
    const explained = await client.rest('GET', '/imgs/explain?q=%22boats%22');
    const byPostgres = { backend: 'postgresql', fallback_reason: 'formula', engine: 'postgresql', reason: 'formula' };
    expect(explained.body.answered_by).toEqual([
      { part: 'results', ...byPostgres },
      { part: 'count', ...byPostgres },
    ]);

    const again = run(['reindex', '--json'], { DATA_DIR, ...engine });
    expect(await again.ended).toBe(0);
    expect(JSON.parse(again.results())).toMatchObject({ pending: 0, refused: 0 });
    const databaseUrl = (await findEmbeddedPostgres(DATA_DIR)) ?? '';
    const uids = await onDatabase(databaseUrl, async (database) => {
      const { rows } = await database.query<{ uid: string }>('SELECT uid FROM search_index');
      return rows.map(({ uid }) => uid);
    });
    expect(uids).toHaveLength(2);
    expect(await stop(server)).toBe(0);

    // Without Meilisearch no changes are recorded for it, and PostgreSQL answers.
    const alone = await start({ DATA_DIR, MEDIA_ROOTS, ADMIN_API_KEY: key, AI_ANALYSIS: 'off' });
    const answer = await createClient(alone.url, key).rest('GET', '/imgs?q=boats&count=true&fields=image_id');
    expect([answer.body.count, answer.headers.get('search-backend')]).toEqual([1, null]);
    await onDatabase(databaseUrl, async (database) => {
      const { rows } = await database.query<{ left: number }>('SELECT count(*)::int AS left FROM search_index');
      expect(rows).toEqual([{ left: 0 }]);
    });
    expect(await stop(alone)).toBe(0);
    await clean(uids, meili);
  });

  it.skipIf(meili?.key === undefined)(
    'that refuses the key is reported, although its health check succeeds',
    async () => {
      const wrong = { MEILI_URL: meili?.urls[0] ?? '', MEILI_KEY: 'a-wrong-hunter2-key', DATA_DIR: newFolder() };
      const server = await start({ ...wrong, ADMIN_API_KEY: key });
      const client = createClient(server.url, key);
      expect((await client.rest('GET', '/imgs?q=country:es&count=true')).status).toBe(200);
      expect((await client.rest('GET', '/ready')).body).toMatchObject({ search: { meilisearch: 'key refused' } });
      expect((await client.rest('GET', '/metrics')).body).toContain('vitrine_backing_up{service="search"} 0');
      const refused = run(['reindex'], wrong);
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toContain('refuses MEILI_KEY: The provided API key is invalid.');
      expect(await stop(server)).toBe(0);
      expect(server.output()).toContain('The provided API key is invalid');
      expect(server.output() + refused.output()).not.toContain('hunter2');
    },
  );

  it('is not needed for starting: PostgreSQL answers while it is unreachable, and says so', async () => {
    const away = { MEILI_URL: 'http://127.0.0.1:9', DATA_DIR: newFolder(), ADMIN_API_KEY: key };
    const server = await start(away);
    const client = createClient(server.url, key);
    const { status, body, headers } = await client.rest('GET', '/imgs?q=country:es&count=true');
    expect([status, body.count, headers.get('search-engine')]).toEqual([
      200,
      0,
      'results=postgresql;reason=filling, count=postgresql;reason=filling',
    ]);
    expect((await client.rest('GET', '/ready')).body).toMatchObject({
      status: 'ready',
      search: { meilisearch: 'unreachable', engine: 'unreachable' },
    });
    expect(await stop(server)).toBe(0);
    const refused = run(['reindex'], away);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('Meilisearch at http://127.0.0.1:9 does not answer.');
  });
});
