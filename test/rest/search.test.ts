import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formulaFields } from '../../src/catalog/index.ts';
import type { FormulaField } from '../../src/catalog/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
let theirs: Client;

const one = { src_path: 'p.png' };
const images = [
  {
    id: 'beach',
    title: 'Sunset at the beach',
    keywords: ['sea', 'sunset'],
    country: 'ES',
    nsfw: false,
    date: '2024-05-03',
  },
  {
    id: 'dog',
    title: 'A dog',
    caption: 'The dog runs on the beach',
    keywords: ['Dog', 'sea'],
    country: 'es',
    nsfw: null,
  },
  { id: 'cat', title: 'Two cats', keywords: ['cat'], country: 'FR', city: 'San Sebastián', nsfw: true, date: '2024' },
  { id: 'fog', title: 'Golden Gate Bridge', caption: 'In the fog', country: '', keywords: [] },
  { id: 'gate', title: 'Golden gate', headline: 'Bridge', status: 'archived', date: '1999-12-31' },
];

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 160, height: 90 });
  await world.picture('tall.png', { width: 60, height: 90 });
  [client, theirs] = [await world.client(), await world.client()];
  for (const own of [client, theirs]) {
    await own.write(
      'POST',
      '/imgs?lang=en',
      images.map((image) => ({ ...one, ...image })),
    );
  }
  await client.write('POST', '/imgs?lang=es', [
    { id: 'cancion', src_path: 'tall.png', title: 'Una canción de verano', country: 'es', keywords: ['música'] },
  ]);
});

async function search(query: Record<string, string>): Promise<{ status: number; body: any; ids: string[] }> {
  // oxlint-disable-line no-explicit-any -- what tests look into
  const { status, body } = await client.rest('GET', `/imgs?fields=image_id&${new URLSearchParams(query)}`);
  return { status, body, ids: ((body.results ?? []) as { image_id: string }[]).map(({ image_id: id }) => id) };
}

describe('a search', () => {
  it.each([
    ['beach', ['beach', 'dog']],
    ['Beaches', ['beach', 'dog']],
    ['run', ['dog']],
    ['"golden gate bridge"', ['fog']],
    ['golden -fog', ['gate']],
    ['gol* | cat', ['cat', 'fog', 'gate']],
    ['keywords:DOG,cat', ['cat', 'dog']],
    ['country:es', ['beach', 'cancion', 'dog']],
    ['city:"san sebastian"', ['cat']],
    ['no:country', ['fog', 'gate']],
    ['-status:archived', ['beach', 'cancion', 'cat', 'dog', 'fog']],
    ['date:2024', ['beach', 'cat']],
    ['date:2024-05', ['beach']],
    ['date<2000', ['gate']],
    ['nsfw:null', ['cancion', 'dog', 'fog', 'gate']],
    ['is:portrait', ['cancion']],
    ['aspect_ratio:16:9 country:*', ['beach', 'cat', 'dog']],
    ['canciones', ['cancion']],
    ['cancion', ['cancion']],
    ['created_at:today', ['beach', 'cancion', 'cat', 'dog', 'fog', 'gate']],
    ['*', ['beach', 'cancion', 'cat', 'dog', 'fog', 'gate']],
    [' ', ['beach', 'cancion', 'cat', 'dog', 'fog', 'gate']],
    ['nothing', []],
  ])('for %s finds its images and counts them', async (q, ids) => {
    const found = await search({ q, count: 'true' });
    expect([found.status, found.ids.toSorted(), found.body.count]).toEqual([200, ids, ids.length]);
  });

  it('goes in pages, by number and by cursor, in every order', async () => {
    for (const sort of ['sort_by=title', 'sort_by=aspect_ratio&sort_order=asc', 'sort_by=image_id', '']) {
      const whole = (await search({ q: 'country:es', ...Object.fromEntries(new URLSearchParams(sort)) })).ids;
      expect(whole.toSorted()).toEqual(['beach', 'cancion', 'dog']);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query: Record<string, string> = {
          q: 'country:es',
          limit: '1',
          cursor,
          ...Object.fromEntries(new URLSearchParams(sort)),
        };
        const page = await search(query);
        seen.push(...page.ids);
        cursor = page.body.cursor;
      }
      expect(seen).toEqual(whole);
      expect(
        (await search({ q: 'country:es', limit: '2', page: '2', ...Object.fromEntries(new URLSearchParams(sort)) }))
          .ids,
      ).toEqual(whole.slice(2));
    }
  });

  it('shows the best answers to bare text first, and pages through them by cursor', async () => {
    expect((await search({ q: 'beach' })).ids).toEqual(['beach', 'dog']);
    expect((await search({ q: 'beach', sort_order: 'asc' })).ids).toEqual(['dog', 'beach']);
    const first = await search({ q: 'beach', limit: '1', cursor: '' });
    const second = await search({ q: 'beach', limit: '1', cursor: first.body.cursor });
    expect([first.ids, second.ids, second.body.cursor]).toEqual([['beach'], ['dog'], null]);
  });

  it('refuses the cursor of another formula', async () => {
    const { body } = await search({ q: 'beach', limit: '1', cursor: '' });
    const { status, body: refusal } = await search({ q: 'country:es', limit: '1', cursor: body.cursor });
    expect([status, refusal.detail[0].loc]).toEqual([422, ['query', 'cursor']]);
  });

  it('analyses words in the language that is asked for, and finds the word itself in any', async () => {
    expect((await search({ q: 'cats', lang: 'en' })).ids).toEqual(['cat']);
    expect((await search({ q: 'cat', lang: 'es' })).ids).toEqual(['cat']);
    expect((await search({ q: 'veranos', lang: 'es' })).ids).toEqual(['cancion']);
  });

  it('finds what was changed at once, and what was deleted no more', async () => {
    await client.write('POST', '/imgs/new', { ...one, title: 'Ephemeral' });
    expect((await search({ q: 'ephemeral' })).ids).toEqual(['new']);
    await client.write('PATCH', '/imgs/new', { title: 'Lasting' });
    expect([(await search({ q: 'ephemeral' })).ids, (await search({ q: 'lasting' })).ids]).toEqual([[], ['new']]);
    await client.write('PATCH', '/imgs/new?lang=es', { title: 'canción' });
    expect((await search({ q: 'canciones id:new' })).ids).toEqual(['new']);
    await client.write('DELETE', '/imgs/new');
    expect((await search({ q: 'lasting' })).ids).toEqual([]);
  });

  it("never sees another tenant's images", async () => {
    await theirs.write('POST', '/imgs/secret', { ...one, title: 'Secret zeppelin' });
    const { ids, body } = await search({ q: 'zeppelin | id:secret | -nothing', count: 'true' });
    expect([ids.includes('secret'), body.count]).toEqual([false, 6]);
  });

  it('is the same over GraphQL', async () => {
    const { data } = await client.graphql(
      '{ images(q: "country:es", sortBy: image_id, sortOrder: asc) { count results { imageId } facets(fields: [nsfw]) { name values { value count } } } }',
    );
    expect(data.images).toEqual({
      count: 3,
      results: [{ imageId: 'beach' }, { imageId: 'cancion' }, { imageId: 'dog' }],
      facets: [
        {
          name: 'nsfw',
          values: [
            { value: null, count: 2 },
            { value: false, count: 1 },
          ],
        },
      ],
    });
  });

  it('by similarity to a text compares its words', async () => {
    const { status, body } = await search({ q: 'i~"a red car"', sort_by: 'similarity' });
    expect([status, body.results]).toEqual([200, []]);
  });

  it.each(['i~1', 'i=1 dog', 'i=url:http://127.0.0.1:9/a.jpg'])(
    'by similarity says which image it does not know: %s',
    async (q) => {
      const { status, body } = await search({ q });
      expect([status, body.detail[0].type]).toEqual([422, 'formula.unknown_reference']);
    },
  );

  it('for verified duplicates is for some tenants only', async () => {
    const { status, body } = await search({ q: 'dog i====1' });
    expect([status, body]).toMatchObject([403, { code: 'forbidden', position: 4 }]);
  });

  it('with words of a language that the record is not in still takes any text', async () => {
    for (const q of [
      '"\u{1F305}" -x | title:"a"',
      'ñ'.repeat(600),
      `"${'a b '.repeat(900)}"`,
      'ǅ* | "𝔘𝔫𝔦"',
      '٣',
      'हिन्दी*',
    ]) {
      expect([200, 422]).toContain((await search({ q })).status);
    }
  });
});

describe('a mistyped word', () => {
  beforeAll(async () => {
    await client.write('POST', '/imgs', [
      {
        id: 'typed',
        ...one,
        title: 'Fotografía submarina',
        keywords: ['tiburones', 'Новгород'],
        headline: 'Boats 1234567',
      },
    ]);
    await theirs.write('POST', '/imgs/airship', { ...one, title: 'Hindenburg' });
  });
  afterAll(() => client.write('DELETE', '/imgs/typed'));

  it.each([
    ['tiburnes', ['typed']],
    ['tiburoness', ['typed']],
    ['tibuornes', ['typed']],
    ['fotogarfia', ['typed']],
    ['fotgrafias', ['typed']],
    ['submraina', ['typed']],
    ['subbmarima', ['typed']],
    ['новгорад', ['typed']],
    ['tibirones -sunset', ['typed']],
    ['baots', ['typed']],
    ['beech', ['beach', 'dog']],
  ])('%s is found', async (q, ids) => {
    expect((await search({ q, count: 'true' })).ids.toSorted()).toEqual(ids);
  });

  it.each([
    ['with too many edits', 'tabirunes'],
    ['of four letters', 'baot'],
    ['in a phrase', '"tiburnes"'],
    ['with a star', 'tibirones*'],
    ['of digits', '1234568'],
    ['asked of one field', 'title:submraina'],
    ["that another tenant's records hold", 'hindenburh'],
  ])('%s is not corrected', async (_, q) => {
    expect((await search({ q })).ids).toEqual([]);
  });

  it('is not corrected where some record holds it', async () => {
    await client.write('POST', '/imgs/tiburnes', { ...one, title: 'tiburnes' });
    expect((await search({ q: 'tiburnes' })).ids).toEqual(['tiburnes']);
    await client.write('DELETE', '/imgs/tiburnes');
    expect((await search({ q: 'tiburnes' })).ids).toEqual(['typed']);
  });

  it('counts the same in facets and in a negation', async () => {
    const { body } = await search({ q: 'tiburnes', facets: 'status', count: 'true' });
    expect([body.count, body.facets.status]).toEqual([1, [{ value: null, count: 1 }]]);
    expect((await search({ q: '-tiburnes' })).ids).not.toContain('typed');
  });
});

describe('facets', () => {
  it.each(['imgs', 'vids'] as const)('are all those of formulas: /%s', async (path) => {
    const resource = path === 'imgs' ? 'image' : 'video';
    const names = formulaFields
      .filter(({ facet, sql }) => facet && sql[resource] !== undefined)
      .map(({ name }) => name);
    const { status, body } = await client.rest('GET', `/${path}?${names.map((name) => `facets=${name}`).join('&')}`);
    expect([status, Object.keys(body.facets).toSorted()]).toEqual([200, names.toSorted()]);
  });

  const facet = async (name: string, query: Record<string, string> = {}) =>
    (await search({ facets: name, ...query })).body.facets[name];

  it('count typed values over all that matches, the most frequent first, those without a value as null', async () => {
    expect(await facet('country')).toEqual(
      [
        { value: 'es', count: 2 },
        { value: null, count: 2 },
        { value: 'ES', count: 1 },
        { value: 'FR', count: 1 },
      ].toSorted((a, b) => b.count - a.count),
    );
    expect(await facet('nsfw')).toEqual([
      { value: null, count: 4 },
      { value: false, count: 1 },
      { value: true, count: 1 },
    ]);
    expect(await facet('orientation')).toEqual([
      { value: 'landscape', count: 5 },
      { value: 'portrait', count: 1 },
    ]);
    expect(await facet('keywords', { q: 'country:es,fr | id:fog' })).toEqual([
      { value: 'sea', count: 2 },
      { value: 'Dog', count: 1 },
      { value: 'cat', count: 1 },
      { value: 'música', count: 1 },
      { value: 'sunset', count: 1 },
      { value: null, count: 1 },
    ]);
  });

  it('are counted over the whole match, whatever the page', async () => {
    const { body } = await search({ q: 'country:es', facets: 'status', limit: '1', page: '3' });
    expect(body.facets).toEqual({ status: [{ value: null, count: 3 }] });
  });

  it('leave out conditions on their own field where they are disjunctive', async () => {
    const query = { q: 'country:fr keywords:cat,sea', facets_mode: 'disjunctive' };
    expect(await facet('country', query)).toEqual([
      { value: 'ES', count: 1 },
      { value: 'FR', count: 1 },
      { value: 'es', count: 1 },
    ]);
    expect(await facet('city', query)).toEqual([{ value: 'San Sebastián', count: 1 }]);
    expect((await client.rest('GET', '/imgs?facets_mode=or')).status).toBe(422);
  });

  it('have at most 100 values', async () => {
    const own = await world.client();
    await own.write(
      'POST',
      '/imgs',
      Array.from({ length: 120 }, (_, i) => ({ id: `i${i}`, ...one, author: `a${i}` })),
    );
    const { body } = await own.rest('GET', '/imgs?facets=author');
    expect(body.facets.author).toHaveLength(100);
  });

  it.each([
    'ai_generated',
    'model_release',
    'property_release',
    'nsfw',
    'orientation',
    'status',
    'location',
    'city',
    'country',
    'event',
    'author',
    'provider',
    'shot',
    'scene',
    'medium',
    'technique',
    'keywords',
    'categories',
    'collections',
  ])('of %s add up to all images or more', async (name) => {
    const values = (await facet(name)) as { count: number }[];
    expect(values.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(6);
  });
});

describe('a mistake in a formula', () => {
  const problem = {
    type: 'formula.unknown_field',
    loc: ['query', 'q'],
    msg: "Unknown field 'contry' at 6",
    input: 'beach contry:es',
    ctx: {
      position: 6,
      length: 6,
      expected: ['country'],
      hint: 'Did you mean country?',
      pointer: 'beach contry:es\n      ^^^^^^',
    },
  };

  it('is a 422 that explains it', async () => {
    const { status, body } = await search({ q: 'beach contry:es' });
    expect([status, body]).toEqual([422, { detail: [problem] }]);
  });

  it('is the same object in the extensions of GraphQL', async () => {
    const { errors } = await client.graphql('{ images(q: "beach contry:es") { count } }');
    expect(errors?.[0]).toMatchObject({ message: problem.msg, extensions: { code: 'invalid_formula', ...problem } });
  });

  it('comes after those of other parameters', async () => {
    const { status, body } = await search({ q: 'contry:es', limit: '0' });
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'limit']]);
  });
});

describe('the columns that search looks in', () => {
  const facets = formulaFields.filter(({ facet, kind }) => facet && (kind === 'keyword' || kind === 'list'));

  it('know every value of a facet', async () => {
    const own = await world.client();
    const value = ({ name, kind }: FormulaField) => (kind === 'list' ? [`${name} Ñ`] : `${name} Ñ`);
    const fields = Object.fromEntries(facets.map((field) => [field.name, value(field)]));
    await own.write('POST', '/imgs', [
      { id: 'full', ...one, ...fields },
      { id: 'bare', ...one },
    ]);
    for (const { name } of facets) {
      const { body } = await own.rest('GET', `/imgs?fields=image_id&q=${name}:"${name} n"`);
      expect([name, body.results]).toEqual([name, [{ image_id: 'full' }]]);
    }
  });

  it.each(
    formulaFields
      .filter(({ weight, sql }) => weight !== null && sql.image !== undefined)
      .map((field) => [field.name, field.kind] as const),
  )('know the words of %s, a %s', async (name, kind) => {
    const text = `Quokka ${name}`;
    await client.write('POST', '/imgs/words', { ...one, [name]: kind === 'list' ? ['a', text] : text });
    expect((await search({ q: 'quokkas' })).ids).toEqual(['words']);
    await client.write('DELETE', '/imgs/words');
  });

  it('are kept by the database, however a record is written', async () => {
    const tenant = await tenantIdOf(world, client);
    const { pool } = world.backing.database;
    await pool.query(
      `UPDATE image SET title = 'Zanzibar', ocr = 'No Parking' WHERE tenant_id = $1 AND image_id = 'gate'`,
      [tenant],
    );
    expect((await search({ q: 'zanzibar ocr:"no parking"' })).ids).toEqual(['gate']);
  });
});
