import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../operations/support.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import type { Client } from '../support/world.ts';
import { openCluster } from './support.ts';
import type { Cluster } from './support.ts';
import { full } from '../support/effort.ts';

const pictures = {
  cat: 'originals/p02-cat.jpg',
  small: 'variants/p02-cat/resize_50.jpg',
  picos: 'originals/p06-picos.jpg',
};
const patienceMs = 240_000;

describe.skipIf(noCorpus)('similarity in two API processes, with analysis in a worker', () => {
  let cluster: Cluster;
  let first: Client;
  let second: Client;

  beforeAll(async () => {
    cluster = await openCluster({ workers: 1, environment: { AI_ANALYSIS: 'on' } });
    [first, second] = (await cluster.clients()) as [Client, Client];
    for (const [id, file] of Object.entries(pictures)) {
      copyFileSync(join(corpusFolder, file), join(cluster.media, `${id}.jpg`));
    }
  }, patienceMs);
  afterAll(() => cluster?.close());

  const alike = async (client: Client) => {
    const answer = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent('i==cat')}`);
    expect(answer.status).toBe(200);
    return answer.body.results.map(({ image_id: id }: { image_id: string }) => id);
  };
  const store = async (client: Client, id: string) => {
    const operation = await send(client, 'POST', '/imgs', [{ id, src_path: `${id}.jpg` }]);
    expect(await finished(client, operation, patienceMs)).toMatchObject({ num_good: 1 });
  };

  it('an index that one has read follows what the other one stores and deletes', full, async () => {
    await store(first, 'cat');
    await store(second, 'picos');
    expect((await second.rest('GET', '/imgs/cat?fields=ai_status')).body.ai_status).toBe('ready');
    expect([await alike(first), await alike(second)]).toEqual([[], []]); // Both have an index now.
    await store(first, 'small');
    expect([await alike(second), await alike(first)]).toEqual([['small'], ['small']]);
    await second.write('DELETE', '/imgs/small');
    expect([await alike(first), await alike(second)]).toEqual([[], []]);
  });

  it('a query image that one was given can be searched for at the other one', full, async () => {
    const body = new FormData();
    body.append('image', new Blob([new Uint8Array(readFileSync(join(cluster.media, 'small.jpg')))]), 'a.jpg');
    const headers = { 'API-Key': first.key };
    const given = await fetch(`${cluster.apis[0]?.url}/query_imgs`, { method: 'POST', body, headers });
    const { hash } = (await given.json()) as { hash: string };
    const answer = await second.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(`i==${hash}`)}`);
    expect([answer.status, answer.body.results]).toEqual([200, [expect.objectContaining({ image_id: 'cat' })]]);
  });
});
