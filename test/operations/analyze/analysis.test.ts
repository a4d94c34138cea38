import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzers } from '../../../src/analysis/analyzers.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import { corpusFolder, noCorpus } from '../../support/corpus.ts';
import { analyzerOf, quickNames } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, send, tenantIdOf } from '../support.ts';
import { sizeOf, full } from '../../support/effort.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf([...quickNames, 'concepts', 'caption']) });
  client = await world.client();
  for (const name of [
    'colors/c03-thirds.png',
    'metadata/m05-conflict.jpg',
    'colors/c09-bw-photo.jpg',
    'originals/p02-cat.jpg',
  ]) {
    copyFileSync(join(corpusFolder, name), join(world.media, name.split('/')[1] ?? ''));
  }
});
afterAll(() => world.close());

const aiStatus = async (id: string, by = client) =>
  (await by.graphql(`{ image(id: "${id}") { aiStatus } }`)).data.image.aiStatus;
const found = async (q: string, by = client) =>
  (
    await by.rest('GET', `/imgs?fields=image_id&sort_by=image_id&sort_order=asc&q=${encodeURIComponent(q)}`)
  ).body.results.map(({ image_id }: { image_id: string }) => image_id);

describe.skipIf(noCorpus)('an operation', () => {
  it('has ended when what it stored is analyzed too, each stage with its counters', async () => {
    const elements = [
      { id: 'thirds', src_path: 'c03-thirds.png', title: 'Three colors' },
      { id: 'bw', src_path: 'c09-bw-photo.jpg' },
      { id: 'none', src_path: 'absent.png' },
    ];
    const record = await client.write('POST', '/imgs', elements);
    expect(record).toMatchObject({ is_finished: true, num_total: 3, num_good: 2, num_bad: 1 });
    expect(record.stages).toEqual([
      { stage: 'store', name: 'store', num_total: 3, num_good: 2, num_bad: 1, is_finished: true },
      { stage: 'analyze', name: 'analyse', num_total: 2, num_good: 2, num_bad: 0, is_finished: true },
    ]);
    expect(await aiStatus('thirds')).toBe('ready');
    expect((await client.rest('GET', '/imgs/thirds?fields=ai_status')).body).toEqual({ ai_status: 'ready' });
    const unknown = await client.rest('GET', '/imgs/thirds?fields=x');
    expect(JSON.stringify(unknown.body)).not.toContain('ai_status');
    expect(await found('bw:true')).toEqual(['bw']);
    expect(await found('color:gold@30')).toEqual(['thirds']);
    expect(await found('ai_status:ready')).toEqual(['bw', 'thirds']);
  });

  it('keeps with each record what its analysis could not see, and what would help', full, async () => {
    const own = await openWorld({ analyses: true, imageAnalyzer: analyzerOf(['ocr', 'caption']) });
    copyFileSync(join(corpusFolder, 'text/t10-ru.png'), join(own.media, 't10-ru.png'));
    const other = await own.client();
    await own.backing.database.prisma.tenant.update({
      where: { id: await tenantIdOf(own, other) },
      data: { aiFill: true },
    });
    const written = await other.write('POST', '/imgs/sign?lang=ru', { src_path: 't10-ru.png', tittle: 'x' });
    expect(written.warnings.map(({ code, field, count }: Record<string, unknown>) => [code, field, count])).toEqual([
      ['unknown_field', 'tittle', 1],
      ['nothing_recognized', 'caption', 1],
      ['ocr_language_unavailable', 'ocr', 1],
    ]);
    const elements = ['a', 'b', 'c'].map((id) => ({ id, src_path: 't10-ru.png' }));
    const { warnings } = await other.write('POST', '/imgs?lang=ru', elements);
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'nothing_recognized', field: 'caption', count: 3, position: 0 }),
      expect.objectContaining({ code: 'ocr_language_unavailable', field: 'ocr', count: 3, position: 0 }),
    ]);
    expect(warnings[0].msg).toContain('AI_CAPTION_PROVIDER');
    const { image } = (
      await other.graphql(
        '{ image(id: "sign") { caption ai { caption(lang: ru) warnings { analyzer code message } } } }',
      )
    ).data;
    expect(image).toMatchObject({ caption: null, ai: { caption: '' } });
    expect(image.ai.warnings).toEqual([
      { analyzer: 'caption', code: 'nothing_recognized', message: expect.stringContaining('AI_CAPTION_PROVIDER') },
      { analyzer: 'ocr', code: 'ocr_language_unavailable', message: expect.stringContaining('rus.traineddata') },
    ]);
    const { rows } = await own.backing.database.pool.query(`SELECT ocr FROM image WHERE image_id = 'sign'`);
    expect(rows).toEqual([{ ocr: '' }]);
    await own.close();
  });

  it('that stores no file analyzes nothing', async () => {
    const record = await client.write('PATCH', '/imgs/thirds', { headline: 'Flat colors' });
    expect(record.stages[1]).toMatchObject({ num_total: 0, is_finished: true });
    expect(await found('color:gold@30')).toEqual(['thirds']);
  });

  it('that replaces a file takes away what was seen in the former one', async () => {
    await client.write('POST', '/imgs/changing', { src_path: 'c09-bw-photo.jpg' });
    await client.write('PATCH', '/imgs/changing', { src_path: 'c03-thirds.png' });
    expect(await found('bw:true')).toEqual(['bw']);
    expect(await found('color:gold@30')).toEqual(['changing', 'thirds']);
    await client.write('DELETE', '/imgs/changing');
    const { rows } = await world.backing.database.pool.query('SELECT count(*)::int AS n FROM image_analysis');
    expect(rows[0].n).toBe(2);
  });
});

describe.skipIf(noCorpus)('what a file says of itself', () => {
  it('fills fields that the caller left empty and no others, with its origin', async () => {
    await client.write('POST', '/imgs/told', { src_path: 'm05-conflict.jpg', title: 'Mine', city: 'Vigo' });
    const query = '{ image(id: "told") { title city keywords caption provenance { field source analyzer version } } }';
    const { image } = (await client.graphql(query)).data;
    expect(image).toMatchObject({ title: 'Mine', city: 'Vigo' });
    expect(image.keywords.length).toBeGreaterThan(0);
    const fields = image.provenance.map(({ field }: { field: string }) => field);
    expect(fields).toContain('keywords');
    expect(fields).not.toContain('title');
    expect(image.provenance[0]).toMatchObject({
      source: 'file',
      analyzer: 'builtin',
      version: analyzers.embedded.version,
    });
    await client.write('PATCH', '/imgs/told', { keywords: ['own'] });
    const after = (await client.graphql(query)).data.image;
    expect(after.keywords).toEqual(['own']);
    expect(after.provenance.map(({ field }: { field: string }) => field)).not.toContain('keywords');
  });
});

describe.skipIf(noCorpus)('a date of a file', () => {
  const dated = (date: string) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
      .withXmp(
        `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
         rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:DateCreated="${date}"/></rdf:RDF></x:xmpmeta>`,
      )
      .jpeg()
      .toFile(join(world.media, `${date}.jpg`));

  it('that is only a month or a year is kept as such and found', async () => {
    const other = await world.client();
    await Promise.all(['1936', '1936-05', '1936-02-29'].map(dated));
    const elements = ['1936', '1936-05', '1936-02-29'].map((date) => ({ id: `d${date}`, src_path: `${date}.jpg` }));
    expect(await other.write('POST', '/imgs', elements)).toMatchObject({ num_good: 3, num_bad: 0 });
    expect((await other.rest('GET', '/imgs/d1936-05?fields=date')).body).toEqual({ date: '1936-05' });
    expect(await found('date:1936-05', other)).toEqual(['d1936-05']);
    expect(await found('date:1936', other)).toEqual(['d1936', 'd1936-02-29', 'd1936-05']);
    expect(await found('date:1937', other)).toEqual([]);
  });
});

describe.skipIf(noCorpus)('a tenant', () => {
  it('may want no analysis, whatever is usual; its operations end when all is stored', async () => {
    const other = await world.client();
    const id = await tenantIdOf(world, other);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { analysis: false } });
    const record = await other.write('POST', '/imgs/plain', { src_path: 'c03-thirds.png' });
    expect(record.stages[1]).toMatchObject({ num_total: 0 });
    expect(await aiStatus('plain', other)).toBeNull();
    const { rows } = await world.backing.database.pool.query('SELECT FROM image_analysis WHERE tenant_id = $1', [id]);
    expect(rows).toEqual([]);
    // Who asks for one gets it.
    const asked = await other.graphql(
      'mutation { analyzeImages(ids: ["plain"], wait: true) { ... on Operation { numGood } } }',
    );
    expect(asked.data.analyzeImages).toEqual({ numGood: 1 });
    expect(await aiStatus('plain', other)).toBe('ready');
  });

  it('may want generated texts in fields that were left empty', async () => {
    const other = await world.client();
    const id = await tenantIdOf(world, other);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { aiFill: true } });
    await other.write('POST', '/imgs?lang=en', [
      { id: 'empty', src_path: 'c09-bw-photo.jpg' },
      { id: 'own', src_path: 'c09-bw-photo.jpg', caption: 'Mine', keywords: ['own'] },
    ]);
    const read = (name: string) =>
      `${name}: image(id: "${name}") { caption keywords provenance { field source confidence } }`;
    const { empty, own } = (await other.graphql(`{ ${read('empty')} ${read('own')} }`)).data;
    expect(own).toMatchObject({ caption: 'Mine', keywords: ['own'] });
    expect(empty.caption).toMatch(/\.$/);
    expect(empty.keywords).toContain('black and white');
    expect(empty.provenance).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'caption', source: 'analyzer' }),
        expect.objectContaining({ field: 'keywords', source: 'analyzer', confidence: expect.any(Number) }),
      ]),
    );
  });

  it('gets none in locked fields, neither generated nor from the file', full, async () => {
    const other = await world.client();
    const id = await tenantIdOf(world, other);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { aiFill: true } });
    await other.write('POST', '/imgs?lang=en', [
      { id: 'locked', src_path: 'm05-conflict.jpg', locked_fields: ['caption', 'keywords', 'date'] },
      { id: 'free', src_path: 'm05-conflict.jpg', locked_fields: [] },
    ]);
    const read = (name: string) => `${name}: image(id: "${name}") { caption keywords date title }`;
    const { locked, free } = (await other.graphql(`{ ${read('locked')} ${read('free')} }`)).data;
    expect(locked).toEqual({ ...free, caption: null, keywords: null, date: null });
    expect([free.caption, free.date]).toEqual([expect.any(String), expect.any(String)]);
    expect(await found('date:*', other)).toEqual(['free']);
  });

  it('that wants none finds records by what was seen all the same, in five languages', async () => {
    for (const word of ['"black and white"', '"blanco y negro"', '"preto e branco"', '"noir et blanc"']) {
      expect(await found(word)).toEqual(['bw']);
    }
    expect((await client.rest('GET', '/imgs/bw?fields=keywords&fields=caption')).body).toEqual({
      keywords: null,
      caption: null,
    });
  });
});

describe.skipIf(noCorpus)('analyzeImages', () => {
  const analyze = async (args: string, by = client) => {
    const query = `mutation { analyzeImages(${args}, wait: true) { ... on Operation { id isFinished numTotal numGood numBad
      stages { stage numTotal numGood numBad } } } }`;
    return (await by.graphql(query)).data.analyzeImages;
  };

  it('analyzes nothing that this version has analyzed, except by force', async () => {
    const when = async () =>
      (await client.graphql('{ image(id: "bw") { ai { analyzers { kind milliseconds } analyzedAt } } }')).data.image.ai;
    const before = await when();
    expect(await analyze('ids: ["bw", "nothing"]')).toMatchObject({ numTotal: 2, numGood: 1, numBad: 1 });
    await analyze('ids: ["bw"], force: true');
    const after = await when();
    expect(after.analyzedAt > before.analyzedAt).toBe(true);
    expect(after.analyzers).toHaveLength(before.analyzers.length);
  });

  it('analyzes what another version has analyzed, and only that part', async () => {
    const db = forTenant(world.backing.database, await tenantIdOf(world, client));
    await db.pool.query(
      `UPDATE image_analysis SET facts = jsonb_set(jsonb_set(facts, '{pdq,version}', '"0"'), '{shape,milliseconds}', '-1')
       FROM image WHERE image.row_id = image_analysis.row_id AND image_id = 'thirds'`,
    );
    await analyze('ids: ["thirds"]');
    const { analyzers } = (
      await client.graphql('{ image(id: "thirds") { ai { analyzers { kind version milliseconds } } } }')
    ).data.image.ai;
    const of = (kind: string) => analyzers.find((each: { kind: string }) => each.kind === kind);
    expect(of('pdq').version).toBe('1');
    expect(of('shape').milliseconds).toBe(-1);
  });

  it('finds what other versions have analyzed by its state, which each start updates', async () => {
    await world.backing.database.pool.query(
      `UPDATE image_analysis SET signature = 'former' FROM image
       WHERE image.row_id = image_analysis.row_id AND image_id = 'thirds'`,
    );
    world.startWorker();
    await expect.poll(() => found('ai_status:stale'), { timeout: 10_000 }).toEqual(['thirds']);
    expect(await analyze('q: "ai_status:stale"')).toMatchObject({ numTotal: 1, numGood: 1 });
    expect(await aiStatus('thirds')).toBe('ready');
  });

  it('takes the images that a formula finds', async () => {
    expect(await analyze('q: "bw:true", force: true')).toMatchObject({ numTotal: 1, numGood: 1 });
    const none = await client.graphql('mutation { analyzeImages(q: "no:image_id", wait: true) { __typename } }');
    expect(none.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_argument' });
  });
});

describe.skipIf(noCorpus)('a large operation', () => {
  it('lets the next one be stored while its own pictures are analyzed, and can be aborted meanwhile', async () => {
    const size = sizeOf(100, 400);
    const elements = Array.from({ length: size }, (_, i) => ({ id: `cat-${i}`, src_path: 'p02-cat.jpg' }));
    const large = await send(client, 'POST', '/imgs', elements);
    const small = await send(client, 'PATCH', '/imgs/cat-0', { title: 'First' });
    await finished(client, small);
    const { body: during } = await client.rest('GET', `/ops/${large}`);
    expect(during).toMatchObject({ num_good: size, is_finished: false });
    expect(during.stages[0]).toMatchObject({ num_good: size, is_finished: true });
    const { body: aborted } = await client.rest('DELETE', `/ops/${large}`);
    expect(aborted).toMatchObject({ is_finished: true, is_aborted: true, num_good: size, num_bad: 0 });
    expect(aborted.stages[1].num_good).toBeLessThan(size);
    const { body } = await client.rest('GET', '/imgs?limit=1&count=true&q=ai_status:pending');
    expect(body.count).toBe(0);
    const left = await world.backing.database.pool.query('SELECT FROM operation_analysis');
    expect(left.rows).toEqual([]);
  });
});
