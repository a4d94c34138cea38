import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultVideoFields, schemaName, videoFields, videoSorts } from '../../rest/endpoints/contract.ts';
import { corpusFolder, noCorpus, readManifest } from '../support/corpus.ts';
import { makeClip, steady } from '../support/clips.ts';
import { give, serveWeb } from '../support/web.ts';
import type { Habit, Web } from '../support/web.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({ mediaRoots: [join(corpusFolder, 'video')], sourceAllow: '127.0.0.0/8' });
});
afterAll(() => world.close());

async function save(name: string, bytes: Buffer): Promise<string> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(world.media, name), bytes);
  return name;
}

describe.skipIf(noCorpus)('the corpus', () => {
  const clips = noCorpus ? [] : readManifest().video;
  const good = clips.filter(({ expected }) => expected === 'accept');
  const bad = clips.filter(({ expected }) => expected !== 'accept');
  const containers: Readonly<Record<string, string>> = { 'mov (QuickTime)': 'mov', matroska: 'mkv' };
  const factFields = [
    'container',
    'codec_video',
    'codec_audio',
    'width',
    'height',
    'aspect_ratio',
    'fps',
    'duration_secs',
  ];
  const webs = new Map<Habit, Web>();
  let client: Client;

  beforeAll(async () => {
    client = await world.client();
    for (const habit of ['ranges', 'whole', 'chunks'] as const) {
      const web = await serveWeb((request, response) => {
        const bytes = readFileSync(join(corpusFolder, 'video', basename(request.url ?? '')));
        give(bytes, habit, request, response);
      });
      webs.set(habit, web);
    }
  });
  afterAll(async () => {
    for (const web of webs.values()) await web.close();
  });

  const ways = ['path', 'ranges', 'whole', 'chunks'] as const;
  const sourceOf = (way: (typeof ways)[number], file: string) =>
    way === 'path' ? { src_path: basename(file) } : { src: `${webs.get(way)?.url}${basename(file)}` };

  it.each(good)('$file has the facts of the manifest on both faces, however it is read', async (clip) => {
    const query = factFields.map((field) => `fields=${field}`).join('&');
    const all: unknown[] = [];
    for (const way of ways) {
      const id = `${way}-${basename(clip.file)}`;
      expect(await client.write('POST', `/vids/${id}`, sourceOf(way, clip.file))).toMatchObject({
        num_good: 1,
        errors: [],
      });
      const { body } = await client.rest('GET', `/vids/${id}?${query}`);
      const { data } = await client.graphql(
        `{ video(id: "${id}") { ${factFields.map(schemaName).join(' ')} aiStatus } }`,
      );
      expect(data.video).toEqual({
        ...Object.fromEntries(factFields.map((field) => [schemaName(field), body[field]])),
        aiStatus: 'ready',
      });
      all.push(body);
    }
    const [facts] = all as Record<string, number>[];
    expect(facts).toMatchObject({
      container: containers[clip.container] ?? clip.container,
      codec_video: clip.video_codec,
      codec_audio: clip.audio_codec,
      width: clip.width,
      height: clip.height,
    });
    expect(facts?.['aspect_ratio']).toBeCloseTo(clip.width / clip.height, 6);
    expect(Math.abs((facts?.['fps'] ?? 0) - clip.fps)).toBeLessThanOrEqual(0.01);
    expect(Math.abs((facts?.['duration_secs'] ?? 0) - clip.measured_duration_s)).toBeLessThanOrEqual(0.1);
    expect(all).toEqual(Array(ways.length).fill(facts));
  });

  it.each(bad)('$file fails its element, however it is read', async ({ file }) => {
    const code = file.includes('fake') ? 'unsupported_media' : 'decode_failed';
    for (const way of ways) {
      const { errors } = await client.write('POST', '/vids/bad', sourceOf(way, file));
      expect(errors).toMatchObject([{ id: 0, ref: 'bad', code }]);
    }
  });

  it('has posters', async () => {
    for (const { file, width, height } of good) {
      const answer = await fetch(`${world.url}/vids/path-${basename(file)}/poster`, {
        headers: { 'API-Key': client.key },
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({
        format: 'jpeg',
        width,
        height,
      });
    }
  });
});

describe('one video', () => {
  const written = {
    thumbnail_url: 'http://x.org/t.jpg',
    preview_url: 'http://x.org/p.mp4',
    img_src: 'http://x.org/i.jpg',
    img_zoom: 'http://x.org/z.jpg',
    title: 'Title',
    headline: 'Headline',
    description: 'Description',
    alt_text: 'Alt',
    date: '2024-02-29',
    location: 'Harbour',
    city: 'Vigo',
    country: 'es',
    event: 'Regatta',
    author: 'A',
    provider: '7',
    keywords: ['k'],
    categories: ['c'],
    collections: ['d'],
    status: 's',
    medium: 'digital',
    ai_generated: false,
    model_release: true,
    property_release: null,
    nsfw: false,
  };

  it('keeps every field of the contract as it was sent', async () => {
    const client = await world.client();
    const path = await save('full.webm', await makeClip());
    await client.write('POST', '/vids/full', { ...written, src_path: path });
    const { body } = await client.rest('GET', `/vids/full?${videoFields.map((field) => `fields=${field}`).join('&')}`);
    const facts = { container: 'webm', codec_video: 'vp8', codec_audio: null, fps: 10, duration_secs: 1 };
    const size = { width: 64, height: 48, aspect_ratio: 64 / 48 };
    expect(body).toEqual({ ...written, ...facts, ...size, src: null, video_id: 'full', id: 'full' });
  });

  it('is read with nine fields when none are asked for', async () => {
    const client = await world.client();
    await client.write('POST', '/vids/a', { src_path: await save('a.webm', await makeClip()) });
    const { body } = await client.rest('GET', '/vids/a');
    expect(Object.keys(body).toSorted()).toEqual(defaultVideoFields.toSorted());
    expect(body).toMatchObject({ id: 'a', img_src: null, img_zoom: null, duration_secs: 1 });
  });

  it('has the Julian day number of its date, of a period that of the first day', async () => {
    const client = await world.client();
    const src_path = await save('a.webm', await makeClip());
    const numbers: Record<string, number | null> = { '2000-01-01': 2_451_545, '2024-02': 2_460_342, '1865': 2_402_238 };
    for (const [date, dateJdn] of Object.entries(numbers)) {
      await client.write('PUT', '/vids/a?upsert=true', { src_path, date });
      expect((await client.graphql('{ video(id: "a") { dateJdn } }')).data.video).toEqual({ dateJdn });
    }
    await client.write('PATCH', '/vids/a', { date: null });
    expect((await client.graphql('{ video(id: "a") { dateJdn } }')).data.video).toEqual({ dateJdn: null });
  });

  it('has other facts and another poster when its source changes, and keeps them when it does not', async () => {
    const client = await world.client();
    const first = await save('first.webm', await makeClip());
    const second = await save('second.mkv', await makeClip({ format: 'mkv', width: 96, times: steady(20, 10) }));
    const poster = async () =>
      Buffer.from(
        await (await fetch(`${world.url}/vids/v/poster`, { headers: { 'API-Key': client.key } })).arrayBuffer(),
      );
    await client.write('POST', '/vids/v', { src_path: first });
    const before = await poster();
    await client.write('PATCH', '/vids/v', { title: 'x' });
    expect((await poster()).equals(before)).toBe(true);
    await client.write('PATCH', '/vids/v', { src_path: second });
    const { body } = await client.rest(
      'GET',
      '/vids/v?fields=container&fields=width&fields=duration_secs&fields=title',
    );
    expect(body).toEqual({ container: 'mkv', width: 96, duration_secs: 2, title: 'x' });
    expect(await sharp(await poster()).metadata()).toMatchObject({ width: 96 });
  });

  it('reports how many bytes of its source were read, which is not all of them', async () => {
    const client = await world.client();
    const clip = await makeClip({
      format: 'mp4',
      codec: 'avc',
      width: 640,
      height: 480,
      noise: true,
      bitrate: 8_000_000,
      times: steady(40, 10),
    });
    expect(clip.length).toBeGreaterThan(1_000_000);
    const web = await serveWeb((request, response) => give(clip, 'ranges', request, response));
    await client.write('POST', '/vids/remote', { src: `${web.url}clip.mp4` });
    await client.write('POST', '/vids/local', { src_path: await save('clip.mp4', clip) });
    await web.close();
    for (const id of ['remote', 'local']) {
      const { bytes_read: bytes } = (await client.rest('GET', `/vids/${id}?fields=bytes_read`)).body;
      expect(bytes).toBeGreaterThan(1000);
      expect(bytes).toBeLessThan(clip.length * 0.7);
      expect((await client.graphql(`{ video(id: "${id}") { bytesRead } }`)).data.video).toEqual({ bytesRead: bytes });
    }
  });

  it('without a poster, or none at all, has no poster', async () => {
    const client = await world.client();
    expect(await client.rest('GET', '/vids/nobody/poster')).toMatchObject({
      status: 404,
      body: { detail: 'Poster not found' },
    });
    expect((await client.graphql('{ videoPoster(id: "nobody") { base64 } }')).data).toEqual({ videoPoster: null });
  });
});

describe('a list of videos', () => {
  let client: Client;
  const list = async (query: string, field = 'id') => {
    const { status, body } = await client.rest('GET', `/vids?fields=${field}&${query}`);
    return status === 200 ? body.results.map((video: Record<string, unknown>) => video[field]) : [status, body];
  };

  beforeAll(async () => {
    client = await world.client();
    const short = await save('short.webm', await makeClip({ times: steady(5, 10) }));
    const long = await save('long.mkv', await makeClip({ format: 'mkv', width: 96, times: steady(60, 20) }));
    const tall = await save('tall.mp4', await makeClip({ format: 'mp4', codec: 'avc', rotation: 90 }));
    await client.write('POST', '/vids?lang=en', [
      { id: 'a', src_path: short, title: 'Regatta', date: '2024-05-01', country: 'es', keywords: ['sea', 'boat'] },
      {
        id: 'b',
        src_path: long,
        title: 'Harvest',
        date: '2019',
        country: 'fr',
        keywords: ['field'],
        description: 'boats',
      },
      { id: 'c', src_path: tall, headline: 'Nothing', nsfw: true },
    ]);
  });

  it('answers formulas', async () => {
    expect(await list('q=boat&sort_by=id&sort_order=asc')).toEqual(['a', 'b']);
    expect(await list('q=container:mkv')).toEqual(['b']);
    expect(await list('q=codec_video:h264')).toEqual(['c']);
    expect(await list('q=duration_secs:2..')).toEqual(['b']);
    expect(await list('q=fps:20')).toEqual(['b']);
    expect(await list('q=is:portrait')).toEqual(['c']);
    expect(await list('q=country:es')).toEqual(['a']);
    expect(await list('q=date:2019')).toEqual(['b']);
    expect(await list('q=description:boat')).toEqual(['b']);
    expect(await list('q=video_id:a,c&sort_by=id&sort_order=asc')).toEqual(['a', 'c']);
    expect(await list('q=is:nsfw')).toEqual(['c']);
    expect(await list('q=ai_status:ready&sort_by=id')).toEqual(['c', 'b', 'a']);
  });

  it('names a field that only images have as a mistake', async () => {
    const { status, body } = await client.rest('GET', '/vids?q=caption:x');
    expect([status, body.detail[0]]).toMatchObject([422, { type: 'formula.unknown_field', loc: ['query', 'q'] }]);
    expect(body.detail[0].msg).toContain(`Unknown field 'caption'`);
  });

  it.each([
    ['id', ['a', 'b', 'c']],
    ['title', ['b', 'a', 'c']],
    ['headline', ['c', 'a', 'b']],
    ['date', ['b', 'a', 'c']],
    ['date_jdn', ['b', 'a', 'c']],
    ['duration_secs', ['a', 'c', 'b']],
    ['height', ['a', 'b', 'c']],
    ['width', ['c', 'a', 'b']],
    ['src', ['a', 'b', 'c']],
  ])('is sorted by %s, missing values last', async (sort, order) => {
    expect(await list(`sort_by=${sort}&sort_order=asc`)).toEqual(order);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await client.rest('GET', `/vids?fields=id&limit=1&sort_by=${sort}&sort_order=asc&cursor=${cursor}`);
      walked.push(...page.body.results.map(({ id }: { id: string }) => id));
      cursor = page.body.cursor;
    }
    expect(walked).toEqual(order);
  });

  it('is sorted by nothing else', async () => {
    expect(videoSorts.contract).toHaveLength(10);
    for (const sort of ['width_', 'city', 'similarity', 'aspect_ratio', 'video_id']) {
      expect((await client.rest('GET', `/vids?sort_by=${sort}`)).status).toBe(422);
    }
  });

  it('is counted, with facets of the fields that images and videos share', async () => {
    const { body } = await client.rest(
      'GET',
      '/vids?count=true&facets=country&facets=keywords&facets=orientation&facets=nsfw&limit=1',
    );
    expect(body).toMatchObject({ count: 3, results: [{ id: expect.any(String) }] });
    expect(body.facets).toEqual({
      country: [
        { value: 'es', count: 1 },
        { value: 'fr', count: 1 },
        { value: null, count: 1 },
      ],
      keywords: [
        { value: 'boat', count: 1 },
        { value: 'field', count: 1 },
        { value: 'sea', count: 1 },
        { value: null, count: 1 },
      ],
      orientation: [
        { value: 'landscape', count: 1 },
        { value: 'panorama', count: 1 },
        { value: 'portrait', count: 1 },
      ],
      nsfw: [
        { value: null, count: 2 },
        { value: true, count: 1 },
      ],
    });
    expect((await client.rest('GET', '/vids?facets=shot')).status).toBe(422);
  });

  it('shows nothing of another tenant', async () => {
    const other = await world.client();
    expect((await other.rest('GET', '/vids?count=true')).body).toEqual({ results: [], count: 0, facets: {} });
  });
});
