import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../operations/support.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const files = [
  'originals/p02-cat.jpg',
  'originals/p06-picos.jpg',
  'originals/p07-dogs.jpg',
  'variants/p02-cat/recompress_q30.jpg',
  'variants/p02-cat/resize_50.jpg',
  'variants/p02-cat/crop_25.jpg',
  'variants/p02-cat/flip_h.jpg',
  'variants/p07-dogs/watermark.jpg',
];
const idOf = (file: string) =>
  file
    .replace(/^(originals|variants)\//, '')
    .replace('.jpg', '')
    .replace('/', '-');

describe.skipIf(noCorpus)('search by similarity', () => {
  let world: World;
  let client: Client;

  beforeAll(async () => {
    world = await openWorld({
      analyses: true,
      imageAnalyzer: analyzerOf(['shape', 'pdq', 'localFeatures', 'embedding']),
    });
    client = await world.client();
    await world.backing.database.pool.query('UPDATE tenant SET search_verify = true');
    for (const file of files) copyFileSync(join(corpusFolder, file), join(world.media, `${idOf(file)}.jpg`));
    const elements = files.map((file) => ({ id: idOf(file), src_path: `${idOf(file)}.jpg`, country: 'es' }));
    const operation = await send(client, 'POST', '/imgs', elements);
    const { num_good: stored } = await finished(client, operation, 170_000);
    if (stored !== files.length) throw new Error(`only ${stored} of ${files.length} pictures were stored`);
  }, 180_000);
  afterAll(() => world.close());

  const ask = (q: string, more = '', by = client) =>
    by.rest('GET', `/imgs?fields=image_id&count=true&q=${encodeURIComponent(q)}${more}`);
  const ids = async (q: string, more = '') =>
    (await ask(q, more)).body.results.map(({ image_id }: { image_id: string }) => image_id);
  const sorted = async (q: string) => (await ids(q)).toSorted();

  it('finds the same picture, as surely as the operator asks, each tier holding the surer ones', async () => {
    expect(await sorted('i===p02-cat')).toEqual(['p02-cat-recompress_q30']);
    expect(await sorted('i==p02-cat')).toEqual(['p02-cat-recompress_q30', 'p02-cat-resize_50']);
    const edits = ['p02-cat-crop_25', 'p02-cat-flip_h', 'p02-cat-recompress_q30', 'p02-cat-resize_50'];
    expect(await sorted('i=p02-cat')).toEqual(edits);
    expect(await sorted('i====p02-cat')).toEqual(['p02-cat-recompress_q30']);
    expect(await sorted('i=p06-picos')).toEqual([]);
  });

  it('puts the surest first, and the other way round when asked', async () => {
    const best = await ids('i=p02-cat');
    expect(best.slice(0, 2)).toEqual(['p02-cat-recompress_q30', 'p02-cat-resize_50']);
    expect(await ids('i=p02-cat', '&sort_by=similarity&sort_order=asc')).toEqual(best.toReversed());
  });

  it('finds what is alike, each tier holding the closer ones, and leaves the reference out', async () => {
    const [scene, subject, theme] = [await ids('i~~~p02-cat'), await ids('i~~p02-cat'), await ids('i~p02-cat')];
    expect(scene).toContain('p02-cat-recompress_q30');
    expect(subject).toEqual(expect.arrayContaining(scene));
    expect(theme).toEqual(expect.arrayContaining(subject));
    expect(theme).not.toContain('p02-cat');
    expect(subject).not.toContain('p06-picos');
  });

  it('mixes with any other term, and counts exactly', async () => {
    expect(await sorted('i=p02-cat -i==p02-cat')).toEqual(['p02-cat-crop_25', 'p02-cat-flip_h']);
    expect(await sorted('i===p02-cat | i=p07-dogs')).toEqual(['p02-cat-recompress_q30', 'p07-dogs-watermark']);
    expect(await sorted('i=p02-cat country:fr')).toEqual([]);
    expect((await ask('i=p02-cat country:es')).body.count).toBe(4);
    expect((await ask('-i=p02-cat')).body.count).toBe(files.length - 4);
  });

  it('sees what is written and deleted at once', async () => {
    copyFileSync(join(corpusFolder, 'variants/p02-cat/grayscale.jpg'), join(world.media, 'grey.jpg'));
    await client.write('POST', '/imgs', [{ id: 'grey', src_path: 'grey.jpg' }]);
    expect(await sorted('i===p02-cat')).toEqual(['grey', 'p02-cat-recompress_q30']);
    await client.write('DELETE', '/imgs/grey');
    expect(await sorted('i===p02-cat')).toEqual(['p02-cat-recompress_q30']);
  });

  it('says where a reference is that it cannot compare', async () => {
    const { status, body } = await ask('country:es i==nowhere');
    expect(status).toBe(422);
    expect(body.detail[0]).toMatchObject({ type: 'formula.unknown_reference', ctx: { position: 14 } });
  });

  it('knows nothing of the images of another tenant', async () => {
    const other = await world.client();
    expect((await ask('i==p02-cat', '', other)).status).toBe(422);
  });
});
