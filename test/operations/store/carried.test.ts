import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { analyzerOf } from '../../support/analyzers.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import type { StoreLimits } from '../../../src/operations/store/limits.ts';
import { prepareChunk } from '../../../src/operations/store/prepare-chunk.ts';
import type { WriteDeps } from '../../../src/operations/store/read-facts.ts';
import type { TenantDb } from '../../../src/tenants/index.ts';
import { tenantIdOf } from '../support.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { full } from '../../support/effort.ts';

type Line = Record<string, unknown> & { id: string; analysis: Record<string, any> }; // oxlint-disable-line no-explicit-any -- what tests look into

const examples = join(packageRoot, 'examples');
const importImages = `mutation Import($records: [AnalyzedRecord!]!) {
  importImages(records: $records, wait: true, waitSeconds: 120) {
    ... on Operation { id numGood numBad stages { stage numTotal } errors { ref code field msg } }
  }
}`;

let world: World;
let source: Client;
let lines: readonly Line[];

async function linesOf(client: Client, kind: 'Images' | 'Videos' = 'Images'): Promise<Line[]> {
  const all: Line[] = [];
  for (let after: string | null = null; ;) {
    const document = `query Read($after: String) { page: analyzed${kind}(after: $after, limit: 4) { results cursor } }`;
    const { data, errors } = await client.graphql(document, { after });
    expect(errors).toBeUndefined();
    all.push(...data.page.results);
    after = data.page.cursor;
    if (after === null) return all;
  }
}

async function store(client: Client, records: readonly unknown[]) {
  const { data, errors } = await client.graphql(importImages, { records });
  expect(errors).toBeUndefined();
  return data.importImages;
}

/** A record of this id whose analysis differs. */
function altered(line: Line, change: (analysis: Line['analysis']) => void, id = 'altered'): Line {
  const copy = { ...structuredClone(line), id };
  change(copy.analysis);
  return copy;
}

beforeAll(async () => {
  const names = ['shape', 'colors', 'embedded', 'pdq', 'localFeatures', 'embedding', 'concepts'] as const;
  world = await openWorld({
    analyses: true,
    imageAnalyzer: analyzerOf(names),
    mediaRoots: [join(examples, 'pictures')],
  });
  source = await world.client();
  const catalog = JSON.parse(readFileSync(join(examples, 'catalog.json'), 'utf8')) as { id: string }[];
  const pictures = catalog.filter((record) => !JSON.stringify(record).includes('.mp4'));
  await source.write('POST', '/imgs?lang=en', pictures);
  lines = await linesOf(source);
}, 120_000);
afterAll(() => world.close());

describe('a record that carries its analysis', () => {
  it('is stored as it was, with each field and fingerprint, and nothing is analyzed', async () => {
    expect(lines).toHaveLength(6);
    for (const { analysis } of lines) {
      expect(analysis).toMatchObject({
        version: 1,
        columns: { aiStatus: 'ready' },
        fingerprint: { pdq: expect.any(String) },
      });
      expect(Object.keys(analysis['facts'])).toHaveLength(7);
    }
    const copy = await world.client();
    expect(await store(copy, lines)).toMatchObject({
      numGood: 6,
      stages: [{ stage: 'store' }, { stage: 'analyze', numTotal: 0 }],
      errors: [],
    });
    expect(await linesOf(copy)).toEqual(lines);
  });

  it('is checked in slices, between which other work runs', async () => {
    const analysis = { ...lines[0]?.analysis, fingerprint: null };
    const elements = Array.from({ length: 200 }, (_, n) => ({ id: `e${n}`, values: { srcPath: 'a.jpg' }, analysis }));
    const db = { tenantId: 1, query: async () => ({ rows: [] }) } as unknown as TenantDb;
    const deps = { imageAnalyzer: { signature: 'x' }, logger: createLogger('fatal') } as unknown as WriteDeps;
    let turns = 0;
    const count = () => ((turns += 1), (counting = setImmediate(count)));
    let counting = setImmediate(count);
    const chunk = { number: 0, firstPosition: 0, elements, deaths: null };
    const prepared = await prepareChunk(db, chunk, deps, {
      resource: 'image',
      action: 'create',
      strict: false,
      onDuplicate: 'keep',
      signal: new AbortController().signal,
      limits: {} as StoreLimits,
      mark: async () => {},
    });
    clearImmediate(counting);
    expect(prepared).toMatchObject({ ready: { length: 200 }, faults: [] });
    expect(turns).toBeGreaterThan(20);
  });

  it('is found by the same formulas, in the same order', async () => {
    const copy = await world.client();
    await store(copy, lines);
    const [first] = lines;
    const similar = ['i==', 'i=', 'i~'].map((term) => `${term}${first?.id}`);
    const formulas = [
      '',
      'boat',
      'the',
      'country:Japan',
      'is:landscape',
      'has:caption',
      'color:blue',
      'n_faces:0..',
      ...similar,
    ];
    const document = `query Find($q: String) {
      images(q: $q, limit: 50) {
        count
        results { imageId title width nFaces placeholder version ai { isBw orientation analyzedAt colors { name percent } } }
        facets(fields: [country, keywords, author]) { name values { value count } }
      }
    }`;
    let found = 0;
    for (const q of ['', ...formulas]) {
      const [theirs, own] = await Promise.all([copy, source].map((client) => client.graphql(document, { q })));
      expect([q, theirs]).toEqual([q, own]);
      expect([q, own?.errors]).toEqual([q, undefined]);
      found += own?.data.images.count;
    }
    expect(found).toBeGreaterThan(12);
  });

  it('is there once, however often it is sent', async () => {
    const copy = await world.client();
    await store(copy, lines);
    const again = await store(copy, lines);
    expect(again.numGood).toBe(0);
    expect(new Set(again.errors.map(({ code }: { code: string }) => code))).toEqual(new Set(['already_exists']));
  });

  it(
    'leaves the picture of another tenant, and of its own, to be analyzed where nothing is carried',
    full,
    async () => {
      const [line] = lines as [Line];
      const copy = await world.client();
      const forged = altered(line, ({ facts }) => (facts.concepts.result = []), 'forged');
      expect(await store(copy, [forged])).toMatchObject({ numGood: 1 });
      const { analysis: _, id: __, ...plain } = line;
      const sent = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== null));
      expect(await copy.write('POST', '/imgs/own', sent)).toMatchObject({ num_good: 1 });
      const own = (await linesOf(copy)).find(({ id }) => id === 'own');
      expect(own?.analysis['facts'].concepts.result).toEqual(line.analysis['facts'].concepts.result);
    },
  );

  it('is stale where other versions have analyzed it, and never analyzed where it waited for that', async () => {
    const [line] = lines as [Line];
    const copy = await world.client();
    const records = [
      altered(line, (analysis) => (analysis['signature'] = 'of another'), 'stale'),
      altered(line, ({ columns }) => (columns.aiStatus = 'pending'), 'waiting'),
    ];
    expect(await store(copy, records)).toMatchObject({ numGood: 2 });
    const statuses = (await linesOf(copy)).map(({ id, analysis }) => [id, analysis['columns'].aiStatus]);
    expect(Object.fromEntries(statuses)).toEqual({ stale: 'stale', waiting: null });
  });
});

describe('many records that carry their analyses', () => {
  const count = 900;
  const many = () => {
    const [line] = lines as [Line];
    return Array.from({ length: count }, (_, n) => ({ ...line, id: `many-${n}`, title: `Title ${n}` }));
  };

  it('are each stored once beside each other, and one that the database refuses fails alone', full, async () => {
    const { pool } = world.backing.database;
    const copy = await world.client();
    await pool.query(`ALTER TABLE image ADD CONSTRAINT no_450 CHECK (title <> 'Title 450') NOT VALID`);
    try {
      const stored = await store(copy, many());
      expect(stored).toMatchObject({ numGood: count - 1, errors: [{ ref: 'many-450', code: 'internal' }] });
      const { rows } = await pool.query(
        `SELECT count(*)::int AS records, count(a.row_id)::int AS analyses, count(f.row_id)::int AS prints,
           (SELECT count FROM record_total t WHERE t.tenant_id = $1 AND t.resource = 'image')::int AS total,
           (SELECT count(*) FROM image_change c WHERE c.tenant_id = $1 AND c.operation_id = $2)::int AS changes
         FROM image i LEFT JOIN image_analysis a USING (row_id) LEFT JOIN image_fingerprint f USING (row_id)
         WHERE i.tenant_id = $1`,
        [await tenantIdOf(world, copy), stored.id],
      );
      const all = count - 1;
      expect(rows).toEqual([{ records: all, analyses: all, prints: all, total: all, changes: all }]);
    } finally {
      await pool.query('ALTER TABLE image DROP CONSTRAINT no_450');
    }
  });

  it('are no more than the tenant may have', full, async () => {
    const copy = await world.client();
    const { tenant } = world.backing.database.prisma;
    await tenant.update({ where: { id: await tenantIdOf(world, copy) }, data: { maxImages: 500 } });
    const { numGood, numBad, errors } = await store(copy, many());
    expect([numGood, numBad]).toEqual([500, 400]);
    expect(errors[0]).toMatchObject({ ref: 'many-500', code: 'too_large' });
  });
});

describe('a video that carries its analysis', () => {
  const outcome = { analyzer: 'builtin', version: '1', milliseconds: 3 };
  const print = (byte: number) => ({
    pdq: Buffer.alloc(32, byte).toString('base64'),
    quality: 80,
    regions: Buffer.alloc(160, byte).toString('base64'),
    details: null,
    embedding: Buffer.alloc(128, byte).toString('base64'),
    model: 'builtin of a test',
  });
  const video = () => ({
    id: 'film',
    src_path: 'film.mp4',
    title: 'A film',
    keywords: ['film'],
    analysis: {
      version: 1,
      columns: {
        container: 'mp4', codecVideo: 'h264', codecAudio: null, width: 320, height: 180, fps: 25, durationSecs: 4.2, byteSize: 123_456,
        bytesRead: 1000, reading: '0b6cb95c-9a2e-4c4b-8d0c-0d0b2a7c4e11', poster: null, aiStatus: 'ready', aiReason: null, lang: 'fr',
        nFaces: 0, ocr: 'bonjour', bw: false, colors: [{ name: 'red', hex: 'ff0000', percent: 100 }],
        concepts: ['boat', 'barco', 'barco', 'bateau', 'лодка'], provenance: null,
        createdAt: '2024-05-06T07:08:09.123Z', updatedAt: '2024-05-06T07:08:10.000Z',
      },
      signature: 'of another',
      analyzedAt: '2024-05-06T07:08:10.000Z',
      facts: { ocr: { ...outcome, result: { text: 'bonjour', lines: [], turned: 0 } } },
      fingerprint: null,
      frames: [
        { timeSecs: 0.5, facts: { pdq: outcome }, fingerprint: print(1) },
        { timeSecs: 2.5, facts: {}, fingerprint: null },
      ],
    },
  }); // prettier-ignore

  it('is stored with its frames, and found by what they show', async () => {
    const copy = await world.client();
    const document = importImages.replaceAll('Images', 'Videos');
    const { data, errors } = await copy.graphql(document, { records: [video()] });
    expect([errors, data?.importVideos]).toEqual([undefined, expect.objectContaining({ numGood: 1, errors: [] })]);
    const [stored] = await linesOf(copy, 'Videos');
    const { frames, ...rest } = video().analysis;
    expect(stored).toMatchObject({ id: 'film', title: 'A film', keywords: ['film'] });
    const { frames: ownFrames, ...own } = stored?.analysis ?? {};
    expect(own).toEqual({ ...rest, columns: { ...rest.columns, aiStatus: 'stale' } });
    // A frame that nothing was known of has a row of its own, which is empty.
    const empty = { pdq: null, quality: null, regions: null, details: null, embedding: null, model: null };
    expect(ownFrames).toEqual([frames[0], { ...frames[1], fingerprint: empty }]);
    const again = { records: [{ ...stored, id: 'again' }] };
    expect((await copy.graphql(document, again)).data.importVideos).toMatchObject({ numGood: 1, errors: [] });
    for (const q of ['bateaux', 'ocr:bonjour', 'color:red', 'container:mp4']) {
      const { data: found } = await copy.graphql('query Find($q: String) { videos(q: $q) { count } }', { q });
      expect([q, found?.videos.count]).toEqual([q, 2]);
    }
  });
});

describe('an analysis that a caller makes up', () => {
  const faults: Readonly<Record<string, (analysis: Line['analysis']) => unknown>> = {
    'of another version': (analysis) => (analysis['version'] = 2),
    'with an unknown property': (analysis) => (analysis['trusted'] = true),
    'with a width of 0': ({ columns }) => (columns.width = 0),
    'with a width that is no number': ({ columns }) => (columns.width = '4000'),
    'with a checksum that is none': ({ columns }) => (columns.checksum = 'abc'),
    'with a format that is markup': ({ columns }) => (columns.format = '<script>'),
    'made tomorrow': ({ columns }) => (columns.createdAt = new Date(Date.now() + 86_400_000).toISOString()),
    'with a color that is none': ({ columns }) => (columns.colors = [{ name: 'red', hex: 'red', percent: 3 }]),
    'with a provenance of no field': ({ columns }) =>
      (columns.provenance = { row_id: { source: 'file', analyzer: '', version: '', confidence: null } }),
    'with a hash that is too short': ({ fingerprint }) => (fingerprint.pdq = 'AAAA'),
    'with a hash that is no base64': ({ fingerprint }) => (fingerprint.pdq = '!'.repeat(44)),
    'with details of no picture': ({ fingerprint }) => (fingerprint.details = 'AAAA'),
    'with a vector of no model': ({ fingerprint }) => (fingerprint.model = null),
    'with a vector that is too long': ({ fingerprint }) => (fingerprint.embedding = 'AAAA'.repeat(2000)),
    'with a result of no analyzer': ({ facts }) => (facts.secrets = { ...facts.pdq, result: 1 }),
    'with faces outside the picture': ({ facts }) =>
      (facts.faces = { ...facts.pdq, result: [{ box: { x: 9, y: 0, w: 1, h: 1 }, confidence: 1 }] }),
    'with a result of another type': ({ facts }) => (facts.concepts.result = 'boats'),
    'with NUL in a text': ({ facts }) => (facts.concepts.version = 'a\0b'),
    'with half a character': ({ columns }) => (columns.ocr = '\ud800'),
    'with frames of a video': (analysis) => (analysis['frames'] = [{ timeSecs: 0, facts: {}, fingerprint: null }]),
  };

  it('costs its line, and no other', async () => {
    const [line] = lines as [Line];
    const copy = await world.client();
    const bad = Object.entries(faults).map(([name, change]) => altered(line, change, name));
    const none = [
      { id: 'none', src_path: 'a.jpg' },
      { id: 7, src_path: 'a.jpg' },
      { ...line, id: 'x', title: 7 },
    ];
    const stored = await store(copy, [...bad, ...none, line]);
    expect(stored.numGood).toBe(1);
    const codes = stored.errors.map(({ ref, code }: { ref: string; code: string }) => `${ref} ${code}`);
    expect(codes).toEqual([...bad.map(({ id }) => id), 'none', '', 'x'].map((id) => `${id} invalid_field`));
    expect((await linesOf(copy)).map(({ id }) => id)).toEqual([line.id]);
  });

  it('is taken of admins alone, and adds nothing to what an update or a usual write takes', async () => {
    const [line] = lines as [Line];
    const editor = await world.client({ role: 'editor' });
    const { errors } = await editor.graphql(importImages, { records: [line] });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'forbidden', requiredScope: 'records:import' });
    const sent = { src_path: line['src_path'], analysis: line.analysis };
    const written = await editor.write('POST', '/imgs/plain', sent);
    expect(written).toMatchObject({ num_good: 1, warnings: [expect.objectContaining({ code: 'unknown_field' })] });
  });

  it('brings no more models than a service needs', async () => {
    const { pool } = world.backing.database;
    const [line] = lines as [Line];
    const copy = await world.client();
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM embedding_model');
    await pool.query(`INSERT INTO embedding_model (name) SELECT 'filler ' || n FROM generate_series(1, $1::int) AS n`, [
      999 - rows[0].count,
    ]);
    const of = (model: string) => altered(line, ({ fingerprint }) => (fingerprint.model = model), model);
    expect(await store(copy, [of('one more')])).toMatchObject({ numGood: 1 });
    expect(await store(copy, [of('too many'), { ...line, id: 'known' }])).toMatchObject({
      numGood: 1,
      errors: [{ ref: 'too many', code: 'invalid_field', field: 'analysis' }],
    });
    await pool.query(`DELETE FROM embedding_model WHERE name LIKE 'filler %'`);
  });
});
