import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpusFolder, noCorpus } from '../../support/corpus.ts';
import { makeClip, steady } from '../../support/clips.ts';
import { analyzerOf, analyzerThat } from '../../support/analyzers.ts';
import { give, serveWeb } from '../../support/web.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { setTenant } from '../../../src/tenants/index.ts';
import { finished, send, tenantIdOf } from '../support.ts';
import { full } from '../../support/effort.ts';

const size = { width: 480, height: 360 };

/** A photograph of the corpus as a picture of a clip. */
async function shown(file: string, grey = false): Promise<Uint8Array> {
  const picture = sharp(join(corpusFolder, file)).resize(size.width, size.height, { fit: 'cover' }).ensureAlpha();
  return grey ? picture.greyscale().toColourspace('srgb').raw().toBuffer() : picture.raw().toBuffer();
}

const clipOf = async (...files: string[]) =>
  makeClip({
    ...size,
    bitrate: 2_000_000,
    times: steady(20, 4),
    pictures: await Promise.all(files.map((file) => shown(file))),
  });

const ids = async (client: Client, q: string, path = '/vids') => {
  const { status, body } = await client.rest('GET', `${path}?fields=id&q=${encodeURIComponent(q)}`);
  return status === 200 ? body.results.map(({ id }: { id: string }) => id).toSorted() : [status, body];
};

describe.skipIf(noCorpus)('the frames of videos', full, () => {
  let world: World;
  let client: Client;

  beforeAll(async () => {
    const names = [
      'shape',
      'colors',
      'objects',
      'faces',
      'pdq',
      'localFeatures',
      'embedding',
      'concepts',
      'caption',
    ] as const;
    world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf(names), sourceAllow: '127.0.0.0/8' });
    client = await world.client();
    writeFileSync(join(world.media, 'pets.webm'), await clipOf('originals/p02-cat.jpg', 'originals/p07-dogs.jpg'));
    writeFileSync(join(world.media, 'dogs.mp4'), await clipOf('originals/p07-dogs.jpg'));
    writeFileSync(join(world.media, 'hills.webm'), await clipOf('originals/p06-picos.jpg', 'faces/f01-portrait.jpg'));
    copyFileSync(join(corpusFolder, 'originals/p02-cat.jpg'), join(world.media, 'cat.jpg'));
    await world.backing.database.pool.query('UPDATE tenant SET search_verify = true');
    const elements = ['pets.webm', 'dogs.mp4', 'hills.webm'].map((file) => ({
      id: file.split('.')[0],
      src_path: file,
    }));
    const operation = await send(client, 'POST', '/vids?lang=en', elements);
    const record = await finished(client, operation, 170_000);
    if (record.num_good !== 3) throw new Error(JSON.stringify(record));
  }, 180_000);
  afterAll(() => world.close());

  it('are analyzed in the second stage, which the operation counts', async () => {
    const query = `{ video(id: "pets") { aiStatus aiReason nFaces provenance { field } ai {
      concepts { label confidence source } caption(lang: es) isBw colors { name percent }
      analyzers { kind version isOk }
      frames { timeSecs ai { objects { label } faces { confidence } pdq pdqQuality colors { name } } } } } }`;
    const { video } = (await client.graphql(query)).data;
    expect(video).toMatchObject({ aiStatus: 'ready', aiReason: null, nFaces: 0, provenance: [] });
    const { frames, concepts, analyzers } = video.ai;
    expect(frames.length).toBeGreaterThanOrEqual(3);
    expect(frames.map(({ timeSecs }: { timeSecs: number }) => timeSecs)).toEqual(
      frames.map(({ timeSecs }: { timeSecs: number }) => timeSecs).toSorted((a: number, b: number) => a - b),
    );
    expect(frames[0].ai).toMatchObject({ pdq: expect.stringMatching(/^[0-9a-f]{64}$/), objects: [{ label: 'cat' }] });
    const labels = concepts.map(({ label }: { label: string }) => label);
    expect(labels).toEqual(expect.arrayContaining(['cat', 'animal']));
    expect(video.ai.isBw).toBe(false);
    expect(video.ai.caption).toMatch(/^Una imagen .*\.$/);
    expect(analyzers.every(({ isOk }: { isOk: boolean }) => isOk)).toBe(true);
  });

  it('are found by names of what they show, in five languages, and by colors and faces', async () => {
    for (const word of ['cat', 'gato', 'chat', 'кошка']) expect(await ids(client, word)).toEqual(['pets']);
    for (const word of ['face', 'rostro', 'лицо']) expect(await ids(client, word)).toEqual(['hills']);
    expect(await ids(client, 'n_faces:1..')).toEqual(['hills']);
    expect(await ids(client, 'n_faces:0 bw:false')).toEqual(['dogs', 'pets']);
    const { colors } = (await client.graphql('{ video(id: "hills") { ai { colors { name percent } } } }')).data.video
      .ai;
    expect(colors[0].percent).toBeGreaterThan(5);
    const { rows } = await world.backing.database.pool.query(`SELECT colors FROM video WHERE video_id = 'hills'`);
    expect(await ids(client, `color:${rows[0].colors[0].name}@5`)).toContain('hills');
    const { body } = await client.rest('GET', '/vids/pets?fields=n_faces&fields=ai_status&fields=bytes_read');
    expect(body).toMatchObject({ n_faces: 0, ai_status: 'ready', bytes_read: expect.any(Number) });
    expect(body.bytes_read).toBeGreaterThan(1000);
  });

  it('are compared: a video matches when one of its frames does', async () => {
    expect(await ids(client, 'i=dogs')).toEqual(['pets']);
    expect(await ids(client, 'i==pets')).toEqual(['dogs']);
    expect(await ids(client, 'i~~~dogs')).toEqual(['pets']);
    expect(await ids(client, 'i=hills')).toEqual([]);
    expect(await ids(client, 'i====dogs')).toEqual(await ids(client, 'i===dogs'));
    expect(await ids(client, '-i=dogs')).toEqual(['dogs', 'hills']);
    expect((await client.rest('GET', '/vids?q=i=nobody')).status).toBe(422);
  });

  it('are compared with an image of the catalog where no video has the id', async () => {
    await client.write('POST', '/imgs/cat', { src_path: 'cat.jpg' });
    // A picture of other proportions, so a crop of it.
    expect(await ids(client, 'i=cat')).toEqual(['pets']);
    expect(await ids(client, 'i~~cat')).toContain('pets');
    expect(await ids(client, 'i~(cat -dogs)')).not.toContain('dogs');
  });

  it('are compared with pictures at addresses and texts, and each hit says how similar it is, and why', async () => {
    const hits = async (q: string) => {
      const { body } = await client.rest('GET', `/vids?fields=id&q=${encodeURIComponent(q)}`);
      return body.results;
    };
    const web = await serveWeb((request, response) =>
      give(readFileSync(join(corpusFolder, 'originals/p02-cat.jpg')), 'whole', request, response),
    );
    expect(await hits(`i=url:"${web.url}cat.jpg"`)).toEqual([
      { id: 'pets', similarity: expect.any(Number), match: expect.objectContaining({ operator: 'i=' }) },
    ]);
    await web.close();
    const [same] = await hits('i==dogs');
    expect(same).toMatchObject({ id: 'pets', match: { by: 'hash' } });
    expect(same.similarity).toBeGreaterThan(0.7);
    expect(await hits('i~"a cat"')).toMatchObject([
      { id: 'pets', similarity: 0.5, match: { by: 'words', distance: 0 } },
    ]);
    expect((await client.rest('GET', '/vids?q=i~pets@box:0,0,50,50')).body.detail[0].msg).toContain('is a video');
    const { data } = await client.graphql('{ videos(q: "i==dogs") { results { videoId similarity match { tier } } } }');
    expect(data.videos.results).toMatchObject([{ videoId: 'pets', match: { tier: expect.any(String) } }]);
  });

  it('are seen by nobody else', async () => {
    const other = await world.client();
    expect(await ids(other, 'i~pets')).toMatchObject([422, {}]);
    expect((await other.graphql('{ video(id: "pets") { ai { analyzedAt } } }')).data.video).toBeNull();
  });

  it('of a new source replace those of the former one', async () => {
    await client.write('POST', '/vids/changing', { src_path: 'hills.webm' });
    expect(await ids(client, 'i==hills')).toEqual(['changing']);
    await client.write('PATCH', '/vids/changing', { src_path: 'dogs.mp4' });
    expect(await ids(client, 'i==hills')).toEqual([]);
    expect(await ids(client, 'i==dogs')).toEqual(['changing', 'pets']);
    await client.write('DELETE', '/vids/changing');
    expect(await ids(client, 'i==dogs')).toEqual(['pets']);
  });

  it('are analyzed anew when asked, by ids or a formula', async () => {
    const analyzedAt = async () =>
      (await client.graphql('{ video(id: "hills") { ai { analyzedAt } } }')).data.video.ai.analyzedAt;
    const analyze = (args: string) =>
      client.graphql(`mutation { analyzeVideos(${args}, wait: true) { ... on Operation { numGood numTotal } } }`);
    const before = await analyzedAt();
    expect((await analyze('q: "hills OR ai_status:ready"')).data.analyzeVideos).toEqual({ numGood: 3, numTotal: 3 });
    expect(await ids(client, 'ai_status:ready')).toEqual(['dogs', 'hills', 'pets']);
    expect((await analyze('ids: ["hills"], force: true')).data.analyzeVideos).toEqual({ numGood: 1, numTotal: 1 });
    expect(Date.parse(await analyzedAt())).toBeGreaterThan(Date.parse(before));
    expect(await ids(client, 'i=dogs')).toEqual(['pets']);
    const viewer = await world.client({ role: 'viewer' });
    const refused = await viewer.graphql('mutation { analyzeVideos(ids: ["hills"]) { __typename } }');
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'forbidden' });
  });
});

describe('a video', () => {
  let world: World;
  let clip: Buffer;

  beforeAll(async () => {
    clip = await makeClip();
  });
  afterAll(() => world.close());

  it('whose analyzer fails is stored, says so, and is seen as far as it goes', async () => {
    let calls = 0;
    const origin = { analyzer: 'builtin', version: '1', milliseconds: 1 } as const;
    const imageAnalyzer = analyzerThat(
      async () => {
        calls += 1;
        const error = { code: 'failed', message: 'broken' } as const;
        const labels = { en: 'cat', es: 'gato', pt: 'gato', fr: 'chat', ru: 'кошка' };
        const concepts = { ...origin, result: [{ labels, confidence: 0.9, source: 'objects' as const }] };
        const caption = { ...origin, result: { es: 'Un gato.' } };
        return {
          outcomes: {
            concepts,
            caption,
            nsfw: calls === 1 ? { ...origin, error } : { ...origin, result: { isNsfw: false, confidence: 0.1 } },
          },
        };
      },
      { concepts: '1', caption: '1', nsfw: '1' },
    );
    world = await openWorld({ analyses: true, imageAnalyzer });
    const client = await world.client();
    writeFileSync(join(world.media, 'a.webm'), clip);
    const record = await client.write('POST', '/vids/a', { src_path: 'a.webm' });
    expect(record).toMatchObject({ num_good: 1, num_bad: 0, is_finished: true });
    expect(record.analysis_errors).toMatchObject([{ ref: 'a', kind: 'nsfw', code: 'failed' }]);
    const { body } = await client.rest('GET', '/vids/a?fields=ai_status&fields=ai_reason');
    expect(body).toMatchObject({ ai_status: 'failed', ai_reason: expect.stringContaining('failed') });
    expect(calls).toBeGreaterThan(1);
    // What failed is tried again, and now it works.
    await client.graphql('mutation { analyzeVideos(ids: ["a"], wait: true) { __typename } }');
    expect((await client.rest('GET', '/vids/a?fields=ai_status&fields=ai_reason')).body).toEqual({
      ai_status: 'ready',
      ai_reason: null,
    });
  });

  it('that is another file by the time of its analysis fails that and stays', async () => {
    const client = await world.client();
    const id = await tenantIdOf(world, client);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { analysis: false } });
    writeFileSync(join(world.media, 'b.webm'), clip);
    await client.write('POST', '/vids/b', { src_path: 'b.webm' });
    expect((await client.rest('GET', '/vids/b?fields=ai_status')).body).toEqual({ ai_status: 'ready' });
    writeFileSync(join(world.media, 'b.webm'), await makeClip({ times: steady(40, 10) }));
    await client.graphql('mutation { analyzeVideos(ids: ["b"], wait: true) { __typename } }');
    expect((await client.rest('GET', '/vids/b?fields=ai_status&fields=ai_reason')).body).toEqual({
      ai_status: 'failed',
      ai_reason: 'the file at the source has changed since it was stored',
    });
  });

  it('has empty keywords and description filled where the tenant wants it, with their origin', async () => {
    const client = await world.client();
    const id = await tenantIdOf(world, client);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { aiFill: true } });
    await client.write('POST', '/vids', [
      { id: 'empty', src_path: 'a.webm' },
      { id: 'own', src_path: 'a.webm', description: 'Mine', keywords: ['own'] },
    ]);
    const read = (name: string) => `${name}: video(id: "${name}") { description keywords provenance { field source } }`;
    const { empty, own } = (await client.graphql(`{ ${read('empty')} ${read('own')} }`)).data;
    expect(empty).toMatchObject({ description: 'Un gato.', keywords: ['gato'] });
    const fields = empty.provenance.map(({ field }: { field: string }) => field);
    expect(fields.toSorted()).toEqual(['description', 'keywords', 'nsfw']);
    expect(empty.provenance).toEqual(empty.provenance.map(() => expect.objectContaining({ source: 'analyzer' })));
    expect(own).toEqual({
      description: 'Mine',
      keywords: ['own'],
      provenance: [{ field: 'nsfw', source: 'analyzer' }],
    });
  });

  it('has empty fields filled from the metadata of its file, also if its frames cannot be decoded', async () => {
    const labels = { en: 'cat', es: 'gato', pt: 'gato', fr: 'chat', ru: 'кошка' };
    const concepts = {
      analyzer: 'builtin',
      version: '1',
      milliseconds: 1,
      result: [{ labels, confidence: 0.9, source: 'objects' as const }],
    };
    const imageAnalyzer = analyzerThat(async () => ({ outcomes: { concepts } }), { concepts: '1', embedded: '2' });
    const own = await openWorld({ analyses: true, imageAnalyzer });
    const client = await own.client();
    const tags = { title: 'The bridge', description: 'By the file', date: new Date('2021-07-04T00:00:00Z') };
    const bytes = await makeClip({ format: 'mp4', codec: 'avc', tags });
    writeFileSync(join(own.media, 'tagged.mp4'), bytes);
    writeFileSync(join(own.media, 'dark.mp4'), bytes.fill(0, bytes.lastIndexOf('mdat') + 4));
    await client.write('POST', '/vids', [
      { id: 'tagged', src_path: 'tagged.mp4', title: 'Mine' },
      { id: 'dark', src_path: 'dark.mp4' },
    ]);
    const read = (id: string) =>
      `${id}: video(id: "${id}") { title description date keywords aiStatus provenance { field source } ai { analyzers { kind isOk } } }`;
    const { tagged, dark } = (await client.graphql(`{ ${read('tagged')} ${read('dark')} }`)).data;
    const sorted = ({ provenance }: { provenance: { field: string }[] }) =>
      provenance.toSorted((a, b) => a.field.localeCompare(b.field));
    const fromFile = (...fields: string[]) => fields.map((field) => ({ field, source: 'file' }));
    expect(tagged).toMatchObject({ title: 'Mine', description: 'By the file', date: '2021-07-04', aiStatus: 'ready' });
    expect(sorted(tagged)).toEqual(fromFile('date', 'description'));
    expect(tagged.ai.analyzers).toContainEqual({ kind: 'embedded', isOk: true });
    expect(dark).toMatchObject({ title: 'The bridge', description: 'By the file', aiStatus: 'failed' });
    expect(sorted(dark)).toEqual(fromFile('date', 'description', 'title'));
    await own.close();
  });

  it('beyond those that the tenant may have fails, and no image does', async () => {
    const client = await world.client();
    const { tenant } = (await client.rest('GET', '/me')).body;
    await setTenant(world.backing.database, tenant, ['max_videos=1']);
    const record = await client.write('POST', '/vids', [
      { id: 'one', src_path: 'a.webm' },
      { id: 'two', src_path: 'a.webm' },
    ]);
    expect(record.errors).toMatchObject([{ ref: 'two', code: 'too_large' }]);
    expect((await client.write('POST', '/imgs/one', { src_path: await world.picture('p.png') })).num_good).toBe(1);
    await expect.poll(async () => (await client.rest('GET', '/me')).body.limits.max_videos).toBe(1);
  });
});
