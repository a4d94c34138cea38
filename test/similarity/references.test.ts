import { copyFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../operations/support.ts';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

const files = [
  ['originals/p02-cat.jpg', 'a cat with green eyes'],
  ['originals/p06-picos.jpg', 'mountains in the snow'],
  ['originals/p07-dogs.jpg', 'two dogs in the snow'],
  ['variants/p02-cat/recompress_q30.jpg', 'cat'],
  ['variants/p02-cat/crop_25.jpg', null],
  ['variants/p02-cat/flip_h.jpg', null],
  ['variants/p02-cat/rotate_90.jpg', null],
  ['variants/p07-dogs/watermark.jpg', 'dogs'],
] as const;
const idOf = (file: string) =>
  file
    .replace(/^(originals|variants)\//, '')
    .replace('.jpg', '')
    .replace('/', '-');
const corpus = (file: string) => readFileSync(join(corpusFolder, file));

describe.skipIf(noCorpus)('a similarity term', () => {
  let world: World;
  let client: Client;
  let media: Server;
  let mediaUrl: string;
  const served: Record<string, Buffer> = {};

  beforeAll(async () => {
    const imageAnalyzer = analyzerOf(['shape', 'pdq', 'localFeatures', 'embedding']);
    world = await openWorld({ analyses: true, imageAnalyzer, sourceAllow: '127.0.0.0/8' });
    client = await world.client();
    await world.backing.database.pool.query('UPDATE tenant SET search_verify = true');
    media = createServer((request, response) => {
      const file = served[request.url?.slice(1) ?? ''];
      if (request.url === '/slow') return;
      if (file === undefined) response.writeHead(404).end();
      else response.writeHead(200).end(file);
    });
    await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve));
    mediaUrl = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
    served['cat.jpg'] = corpus('originals/p02-cat.jpg');
    served['text.jpg'] = Buffer.from('no picture');
    for (const [file] of files) copyFileSync(join(corpusFolder, file), join(world.media, `${idOf(file)}.jpg`));
    const elements = files.map(([file, title]) => ({
      id: idOf(file),
      src_path: `${idOf(file)}.jpg`,
      country: 'es',
      ...(title !== null && { title }),
    }));
    const operation = await send(client, 'POST', '/imgs?lang=en', elements);
    const { num_good: stored } = await finished(client, operation, 170_000);
    if (stored !== files.length) throw new Error(`only ${stored} of ${files.length} pictures were stored`);
  }, 180_000);
  afterAll(async () => {
    media.closeAllConnections();
    media.close();
    await world.close();
  });

  const ask = (q: string, more = '', by = client) =>
    by.rest('GET', `/imgs?fields=image_id&count=true&q=${encodeURIComponent(q)}${more}`);
  const hits = async (q: string, more = '') => {
    const { status, body } = await ask(q, more);
    if (status !== 200) throw new Error(JSON.stringify(body));
    expect(body.count).toBe(body.results.length);
    return body.results as any[];
  };
  const ids = async (q: string, more = '') => (await hits(q, more)).map(({ image_id: id }) => id);
  const sorted = async (q: string) => (await ids(q)).toSorted();
  const fault = async (q: string) => {
    const { status, body } = await ask(q);
    return [status, body.detail?.[0]?.type, body.detail?.[0]?.ctx?.position];
  };

  async function upload(file: Buffer, by = client): Promise<string> {
    const body = new FormData();
    body.append('image', new Blob([new Uint8Array(file)]), 'a.jpg');
    const answer = await fetch(`${world.url}/query_imgs`, { method: 'POST', body, headers: { 'API-Key': by.key } });
    return ((await answer.json()) as { hash: string }).hash;
  }

  const cats = ['p02-cat', 'p02-cat-crop_25', 'p02-cat-flip_h', 'p02-cat-recompress_q30', 'p02-cat-rotate_90'];

  describe('by a query image', () => {
    it('finds the same picture in every tier, the record of the same file included', async () => {
      const hash = await upload(corpus('originals/p02-cat.jpg'));
      expect(await sorted(`i===${hash}`)).toEqual(['p02-cat', 'p02-cat-recompress_q30']);
      expect(await sorted(`i=${hash}`)).toEqual(cats);
      expect(await sorted(`i=hash:${hash} -i==${hash}`)).toEqual([
        'p02-cat-crop_25',
        'p02-cat-flip_h',
        'p02-cat-rotate_90',
      ]);
      expect((await ids(`i====${hash}`))[0]).toBe('p02-cat');
      expect(await ids(`i~~~${hash}`)).toContain('p02-cat');
      const [same] = await hits(`i===${hash}`);
      expect(same).toMatchObject({ image_id: 'p02-cat', similarity: 1, match: { by: 'checksum', verified: true } });
    });

    it('finds a flipped part by the features of its mirror image', async () => {
      const flipped = await sharp(corpus('variants/p02-cat/crop_25.jpg')).flop().toBuffer();
      const found = await hits(`i=${await upload(flipped)}`);
      expect(found.map(({ image_id: id }) => id)).toContain('p02-cat');
      expect(found.find(({ image_id: id }) => id === 'p02-cat').match).toMatchObject({ flip: true });
    });

    it('is kept for longer by each search', async () => {
      const hash = await upload(corpus('originals/p06-picos.jpg'));
      const { pool } = world.backing.database;
      await pool.query("UPDATE query_image SET expires_at = now() + interval '1 hour' WHERE hash = $1", [hash]);
      await ids(`i~${hash}`);
      const { rows } = await pool.query(
        'SELECT extract(epoch FROM expires_at - now()) / 3600 AS hours FROM query_image WHERE hash = $1',
        [hash],
      );
      expect(Number(rows[0].hours)).toBeGreaterThan(23.9);
    });

    it('says where one is that is unknown, over, or of another tenant', async () => {
      expect(await fault('country:es i=qh_01hzx3k9q2v7m4n8p5r6s7t8v9')).toEqual([422, 'formula.unknown_reference', 13]);
      const hash = await upload(corpus('originals/p07-dogs.jpg'));
      await world.backing.database.pool.query('UPDATE query_image SET expires_at = now() WHERE hash = $1', [hash]);
      expect(await fault(`i==${hash}`)).toEqual([422, 'formula.unknown_reference', 3]);
      const other = await world.client();
      expect((await ask(`i==${await upload(corpus('originals/p07-dogs.jpg'))}`, '', other)).status).toBe(422);
    });
  });

  describe('by an address', () => {
    it('compares with the picture that is there', async () => {
      expect(await sorted(`i=url:${mediaUrl}/cat.jpg`)).toEqual(cats);
      expect(await ids(`i~~url:"${mediaUrl}/cat.jpg"`)).toContain('p02-cat');
    });

    it.each([
      ['where nothing is', () => `${mediaUrl}/none.jpg`],
      ['of something else', () => `${mediaUrl}/text.jpg`],
      ['that is private', () => 'http://10.0.0.1/a.jpg'],
      ['that is none', () => 'beach'],
      ['of this machine', () => 'file:///etc/hosts'],
    ])('says where one is %s', async (_, url) => {
      expect(await fault(`snow i~url:${url()}`)).toEqual([422, 'formula.unknown_reference', 7]);
    });

    it('does not wait longer than a person would', { ...full, timeout: 25_000 }, async () => {
      expect(await fault(`i~url:${mediaUrl}/slow`)).toEqual([422, 'formula.unknown_reference', 2]);
    });
  });

  describe('by a text, where no model knows texts', () => {
    it('compares its words, more of them for a surer tier, and leaves out what says nothing', async () => {
      expect(await sorted('i~"a dog in the snow"')).toEqual(['p06-picos', 'p07-dogs', 'p07-dogs-watermark']);
      expect(await sorted('i~~~"the dogs in the snow"')).toEqual(['p07-dogs']);
      const [best] = await hits('i~"dogs and snow"');
      expect([best.image_id, best.similarity, best.match.by, best.match.tier]).toEqual([
        'p07-dogs',
        0.5,
        'words',
        'scene',
      ]);
    });

    it('is worth half as similarity at most, so it stands behind what pictures say', async () => {
      const [best, ...others] = await hits('i~"dogs and snow" OR i=p07-dogs-watermark', '&sort_by=similarity');
      // Its words all fit, too; that it is the same picture says more.
      expect([best.image_id, best.match.operator, best.similarity > 0.5]).toEqual(['p07-dogs', 'i==', true]);
      expect(others.map(({ similarity, match }: any) => [similarity, match.by, match.distance])).toEqual(
        others.map(() => [0.25, 'words', 0.5]),
      );
      expect(others.length).toBeGreaterThan(0);
    });

    it('pushes away from texts that are negated', async () => {
      expect(await ids('i~("snow" -"dogs")')).toEqual(['p06-picos']);
    });

    it('stands for the images that show it, among references to images', async () => {
      const away = await hits('i~(p02-cat -"mountains")');
      expect(away.map(({ image_id: id }) => id)).toContain('p02-cat-recompress_q30');
      expect(away[0].match.by).toBe('embedding');
    });

    it('is said by the explanation', async () => {
      const { body } = await client.rest('GET', `/imgs/explain?q=${encodeURIComponent('i~"a red car" country:es')}`);
      expect(body.warnings).toMatchObject([{ code: 'text_by_concepts', position: 2 }]);
      expect(body.warnings[0].message).toMatch(/'red', 'car'/);
    });
  });

  describe('by a part of a picture', () => {
    it('compares with that part of a record, a query image, or an address', async () => {
      const part = '@box:20,20,60,60';
      const hash = await upload(corpus('originals/p02-cat.jpg'));
      const found = await Promise.all(
        [`i=p02-cat${part}`, `i=${hash}${part}`, `i=url:${mediaUrl}/cat.jpg${part}`].map(sorted),
      );
      expect(found[0]).toContain('p02-cat-recompress_q30');
      expect(found[0]).not.toContain('p02-cat');
      expect(found[1]).toContain('p02-cat');
      expect(found[2]).toEqual(found[1]);
      expect(await ids('i~p02-cat@box:20,20,60,60@0.2')).not.toContain('p02-cat');
    });
  });

  describe('with several references', () => {
    it('looks between them, and away from those negated', async () => {
      const between = await ids('i~(p02-cat p07-dogs)');
      expect(between).toEqual(expect.arrayContaining(['p02-cat-recompress_q30', 'p07-dogs-watermark']));
      const away = await ids('i~(p02-cat -p07-dogs)');
      expect(away).toContain('p02-cat-recompress_q30');
      expect(away).not.toContain('p07-dogs-watermark');
    });

    it('finds with the similarity that a hit shows as its lowest score, that hit too', async () => {
      for (const q of ['i~p02-cat', 'i=p02-cat', 'i~"snow and dogs in the house"']) {
        for (const { image_id: id, similarity } of await hits(q)) {
          expect(await ids(`${q}@${similarity}`), `${id} by ${q}@${similarity}`).toContain(id);
        }
      }
    });

    it('takes a lowest score', async () => {
      const all = await hits('i~p02-cat');
      const least = all[1].similarity as number;
      expect(await ids(`i~p02-cat@${least.toFixed(3)}`)).toEqual(
        all.filter(({ similarity }) => similarity >= Number(least.toFixed(3))).map(({ image_id: id }) => id),
      );
    });
  });

  describe('says why', () => {
    it('each hit matched: tier, distance, flip, turn, part', async () => {
      const byId = new Map((await hits('i=p02-cat')).map((hit) => [hit.image_id, hit]));
      expect(byId.get('p02-cat-recompress_q30').match).toMatchObject({
        tier: 'near',
        operator: 'i===',
        by: 'hash',
        crop: false,
      });
      expect(byId.get('p02-cat-recompress_q30').similarity).toBeGreaterThan(0.9);
      expect(byId.get('p02-cat-flip_h').match).toMatchObject({
        tier: 'edited',
        operator: 'i=',
        flip: true,
        rotation: 0,
      });
      expect(byId.get('p02-cat-rotate_90').match).toMatchObject({ tier: 'edited', flip: false, rotation: 90 });
      const { match } = byId.get('p02-cat-crop_25');
      expect(match).toMatchObject({ tier: 'edited', by: 'geometry', crop: true, verified: true });
      expect(match.overlap.w).toBeGreaterThan(0.9);
      const query = '{ images(q: "i=p02-cat -i==p02-cat") { results { imageId match { overlapReference { w } } } } }';
      const { results } = (await client.graphql(query)).data.images;
      const crop = results.find(({ imageId }: { imageId: string }) => imageId === 'p02-cat-crop_25');
      expect(crop.match.overlapReference.w).toBeLessThan(0.95);
    });

    it('a checked match is verified, with what both show', async () => {
      const [first] = await hits('i====p02-cat');
      expect(first).toMatchObject({ image_id: 'p02-cat-recompress_q30', match: { verified: true, tier: 'near' } });
      expect(first.match.overlap).not.toBeNull();
    });

    it('in GraphQL too, and not where nothing was asked', async () => {
      const query = `query ($q: String) { images(q: $q, limit: 3, sortBy: similarity) { count results {
        imageId similarity match { tier operator by distance flip rotation crop verified overlap { x y w h } overlapReference { w } } } } }`;
      const { data } = await client.graphql(query, { q: 'i==p02-cat' });
      expect(data.images).toMatchObject({
        count: 1,
        results: [{ imageId: 'p02-cat-recompress_q30', similarity: expect.any(Number), match: { tier: 'near' } }],
      });
      const plain = await client.graphql(
        '{ images(limit: 1) { results { similarity match { tier } } } image(id: "p02-cat") { similarity } }',
      );
      expect(plain.data).toEqual({
        images: { results: [{ similarity: null, match: null }] },
        image: { similarity: null },
      });
      expect((await ask('cat')).body.results[0]).toEqual({ image_id: expect.any(String) });
      expect((await ask('-i=p02-cat')).body.results[0]).toEqual({ image_id: expect.any(String) });
    });
  });

  describe('goes wherever formulas go', () => {
    it('facets and their values', async () => {
      const { body } = await ask('i=p02-cat', '&facets=country');
      expect(body.facets).toEqual({ country: [{ value: 'es', count: 4 }] });
      const { data } = await client.graphql('{ facetValues(field: country, q: "i=p02-cat") { value count } }');
      expect(data.facetValues).toEqual([{ value: 'es', count: 4 }]);
    });

    it('explanations, with the count of each clause', async () => {
      const { body } = await client.rest('GET', `/imgs/explain?q=${encodeURIComponent('i=p02-cat -i==p02-cat')}`);
      expect(body.count).toBe(3);
      expect(body.clauses.map(({ count }: { count: number }) => count)).toEqual([3, 4, files.length - 1, 1]);
    });

    it('analyses, saved formulas and cursors', async () => {
      const analyze = 'mutation ($q: String) { analyzeImages(q: $q, wait: true) { ... on Operation { numTotal } } }';
      expect((await client.graphql(analyze, { q: 'i===p02-cat' })).data.analyzeImages).toEqual({ numTotal: 1 });
      const save = 'mutation ($q: String!) { saveFormula(name: "cats", formula: $q) { name } }';
      expect((await client.graphql(save, { q: 'i=p02-cat' })).errors).toBeUndefined();
      expect((await hits('saved:cats'))[0].match.tier).toBe('near');
      await client.graphql(save.replace('"cats"', '"gone"'), { q: 'country:es i=qh_01hzx3k9q2v7m4n8p5r6s7t8v9' });
      expect(await fault('cat saved:gone')).toEqual([422, 'formula.unknown_reference', 10]);
      await client.graphql(save.replace('"cats"', '"many"'), { q: 'i~(p02-cat p07-dogs p06-picos)' });
      expect(await fault('saved:many | i~(p02-cat p07-dogs p06-picos)')).toEqual([422, 'formula.too_complex', 0]);
      const first = await ask('i=p02-cat', '&limit=2&cursor=');
      const second = await ask('i=p02-cat', `&limit=2&cursor=${first.body.cursor}`);
      const walked = [...first.body.results, ...second.body.results].map(({ image_id: id }) => id);
      expect(walked).toEqual(await ids('i=p02-cat'));
    });
  });
});
