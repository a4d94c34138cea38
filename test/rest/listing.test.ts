import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { imageSorts } from '../../rest/endpoints/contract.ts';
import { fieldsOf } from '../../src/catalog/fields.ts';
import { tenantIdOf } from '../operations/support.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { runsOf } from '../support/effort.ts';
import { character } from '../support/character.ts';

let world: SharedWorld;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 2, height: 2 });
  await world.picture('wide.png', { width: 9, height: 2 });
  await world.picture('tall.png', { width: 2, height: 9 });
});

const one = { src_path: 'p.png' };
type Rows = readonly { image_id: string }[];

async function list(client: Client, query: string): Promise<string[]> {
  const { status, body } = await client.rest('GET', `/imgs?fields=image_id&${query}`);
  expect(status).toBe(200);
  return (body.results as Rows).map(({ image_id: id }) => id);
}

describe('a list of images', () => {
  let client: Client;
  beforeAll(async () => {
    client = await world.client();
    for (const id of ['c', 'a', 'b', 'd']) await client.write('POST', `/imgs/${id}`, { ...one, title: `T ${id}` });
  });

  it('holds the default fields of each, the newest first, and neither a count nor facets', async () => {
    const { status, body } = await client.rest('GET', '/imgs');
    expect(status).toBe(200);
    const rest = {
      headline: null,
      caption: null,
      n_faces: null,
      src: null,
      url_img_thumbnail: null,
      url_img_watermark: null,
    };
    const results = ['d', 'b', 'a', 'c'].map((id) => ({ title: `T ${id}`, width: 2, height: 2, ...rest }));
    expect(body).toEqual({ results, count: null, facets: {} });
  });

  it('holds the fields that are asked for and no others', async () => {
    const { body } = await client.rest('GET', '/imgs?fields=image_id&fields=title&fields=image_id&limit=1');
    expect(body.results).toEqual([{ image_id: 'd', title: 'T d' }]);
  });

  it('counts all that match when asked, whatever the page', async () => {
    for (const query of ['count=true', 'count=1&limit=1', 'count=yes&page=9', 'count=on&cursor=&limit=2']) {
      expect((await client.rest('GET', `/imgs?${query}`)).body.count).toBe(4);
    }
    expect((await client.rest('GET', '/imgs?count=false')).body.count).toBeNull();
    expect((await (await world.client()).rest('GET', '/imgs?count=true')).body).toEqual({
      results: [],
      count: 0,
      facets: {},
    });
  });

  it.each([
    ['sort_order=desc', ['d', 'b', 'a', 'c']],
    ['sort_order=asc', ['c', 'a', 'b', 'd']],
    ['limit=2', ['d', 'b']],
    ['limit=2&page=2', ['a', 'c']],
    ['limit=3&page=2', ['c']],
    ['limit=2&page=3', []],
    ['limit=10000', ['d', 'b', 'a', 'c']],
    ['sort_by=image_id', ['d', 'c', 'b', 'a']],
    ['sort_by=image_id&sort_order=asc&limit=1&page=3', ['c']],
  ])('of ?%s is that page', async (query, ids) => {
    expect(await list(client, query)).toEqual(ids);
  });

  it('breaks ties of records that were stored together by id', async () => {
    const own = await world.client();
    await own.write(
      'POST',
      '/imgs',
      ['b', 'a', 'É', 'B', 'é'].map((id) => ({ id, ...one })),
    );
    expect(await list(own, '')).toEqual(['B', 'a', 'b', 'É', 'é']);
    expect(await list(own, 'sort_order=asc')).toEqual(['B', 'a', 'b', 'É', 'é']);
  });
});

describe('the depth of pages', () => {
  let client: Client;
  beforeAll(async () => {
    client = await world.client();
    await client.write('POST', '/imgs/a', one);
  });

  it.each(['page=10&limit=10000', 'page=100000&limit=1', 'page=2000&limit=50'])(
    'reaches 100 000 rows: %s',
    async (query) => {
      expect(await list(client, query)).toEqual([]);
    },
  );

  it.each([
    'page=11&limit=10000',
    'page=100001&limit=1',
    'page=2001',
    'page=99999999999999999999',
    `page=${'9'.repeat(400)}`,
  ])('beyond it answers 422 that names the cursor: %s', async (query) => {
    const { status, body } = await client.rest('GET', `/imgs?${query}`);
    expect([status, body.detail]).toEqual([
      422,
      [
        {
          type: 'page_too_deep',
          loc: ['query', 'page'],
          msg: 'Pages reach at most 100000 rows; use cursor for later pages',
          input: new URLSearchParams(query).get('page'),
          ctx: { max_depth: 100_000, hint: 'Use cursor' },
        },
      ],
    ]);
  });

  it('is no matter for a cursor', async () => {
    expect(await list(client, 'cursor=&page=1')).toEqual(['a']);
    const { cursor } = (await client.rest('GET', '/imgs?cursor=')).body;
    expect(cursor).toBeNull();
  });
});

describe('sorting', () => {
  let client: Client;
  /** Ids by the place of their value: two lowest, one in between, one highest, two without any. */
  const groups = { low: ['r', 'k'], middle: ['m'], high: ['b'], none: ['z', 'a'] };
  const ids = ['z', 'r', 'b', 'k', 'a', 'm'];
  const notTexts = new Set(['image_id', 'src', 'url_img_watermark', 'url_img_thumbnail']);
  const texts = fieldsOf.image
    .filter(({ name, type, sort }) => sort && (type === 'text' || type === 'keyword') && !notTexts.has(name))
    .map(({ name }) => name);
  const addresses = ['url_img_watermark', 'url_img_thumbnail'];
  const values = { low: 'alpha', middle: 'beta', high: 'gamma', none: null };
  const dates = { low: '1865', middle: '1865-02', high: '2024-02-29', none: null };

  beforeAll(async () => {
    client = await world.client();
    const groupOf = (id: string) =>
      Object.entries(groups).find(([, members]) => members.includes(id))?.[0] as keyof typeof groups;
    const rows = ids.map((id) => {
      const group = groupOf(id);
      const fields = [...texts, ...addresses].map((name) => [name, values[group]]);
      return { id, ...one, ...Object.fromEntries(fields), date: dates[group] };
    });
    await client.write('POST', '/imgs', rows);
    // Faces are counted by analysis and an address would have to be fetched: their order alone matters here.
    const facts = 'UPDATE image SET n_faces = $3, src = $4 WHERE image_id = ANY($2) AND tenant_id = $1';
    const tenantId = await tenantIdOf(world, client);
    for (const [group, [faces, src]] of Object.entries({
      low: [0, 'http://a'],
      middle: [2, 'http://b'],
      high: [10, 'http://c'],
    })) {
      const members = groups[group as keyof typeof groups];
      await world.backing.database.pool.query(facts, [tenantId, members, faces, src]);
    }
  });

  it.each([...texts, ...addresses, 'src', 'date', 'n_faces'])(
    'by %s breaks ties by id and puts the missing last',
    async (name) => {
      expect(await list(client, `sort_by=${name}&sort_order=asc`)).toEqual(['k', 'r', 'm', 'b', 'a', 'z']);
      expect(await list(client, `sort_by=${name}&sort_order=desc`)).toEqual(['b', 'm', 'k', 'r', 'a', 'z']);
      expect(await list(client, `sort_by=${name}`)).toEqual(['b', 'm', 'k', 'r', 'a', 'z']);
    },
  );

  it.each(['title', 'date', 'n_faces', 'image_id', ''])(
    'by %s is the same in pages and by cursor as at once',
    async (name) => {
      for (const order of ['asc', 'desc']) {
        const query = `sort_by=${name}&sort_order=${order}`;
        const whole = await list(client, query);
        for (const limit of [1, 2, 3, 4, 5]) {
          const pages = [];
          for (let page = 1; page <= Math.ceil(ids.length / limit); page += 1) {
            pages.push(...(await list(client, `${query}&limit=${limit}&page=${page}`)));
          }
          expect(pages).toEqual(whole);
          expect(await walk(client, `${query}&limit=${limit}`)).toEqual(whole);
        }
      }
    },
  );

  it('by width and height is by number', async () => {
    const own = await world.client();
    await own.write('POST', '/imgs', [
      { id: 'tall', src_path: 'tall.png' },
      { id: 'wide', src_path: 'wide.png' },
      { id: 'b', ...one },
    ]);
    await world.picture('ten.png', { width: 10, height: 10 });
    await own.write('POST', '/imgs/ten', { src_path: 'ten.png' });
    expect(await list(own, 'sort_by=width&sort_order=asc')).toEqual(['b', 'tall', 'wide', 'ten']);
    expect(await list(own, 'sort_by=width')).toEqual(['ten', 'wide', 'b', 'tall']);
    expect(await list(own, 'sort_by=height&sort_order=asc')).toEqual(['b', 'wide', 'tall', 'ten']);
    expect(await list(own, 'sort_by=height')).toEqual(['ten', 'tall', 'b', 'wide']);
  });

  it('is tested here for every field that can be sorted by', () => {
    const tested = ['', 'image_id', 'width', 'height', 'src', 'date', 'n_faces', ...texts, ...addresses];
    const others = ['aspect_ratio', 'similarity', 'sim'];
    expect([...tested, ...others].toSorted()).toEqual([...imageSorts.contract, ...imageSorts.also].toSorted());
  });

  it.each(['similarity', 'sim'])('by %s needs a similarity term', async (name) => {
    const { status, body } = await client.rest('GET', `/imgs?sort_by=${name}`);
    expect([status, body.detail]).toMatchObject([
      422,
      [{ type: 'sort_requires_similarity', loc: ['query', 'sort_by'], input: name }],
    ]);
  });
});

/** Every id in the order of pages that cursors lead to; between pages `meanwhile` may write. */
async function walk(
  client: Client,
  query: string,
  meanwhile = async (_seen: readonly string[]) => {},
): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await client.rest('GET', `/imgs?fields=image_id&${query}&cursor=${cursor}`);
    expect(status).toBe(200);
    seen.push(...(body.results as Rows).map(({ image_id: id }) => id));
    cursor = body.cursor;
    await meanwhile(seen);
  }
  return seen;
}

describe('a walk by cursor', () => {
  let client: Client;
  const cities = ['Vigo', 'Lugo', 'Ourense', 'Ferrol', null];
  const ids = Array.from({ length: 1000 }, (_, i) => `r${(i * 337) % 1000}`);

  beforeAll(async () => {
    client = await world.client();
    await client.write(
      'POST',
      '/imgs',
      ids.map((id, i) => ({ id, ...one, city: cities[i % cities.length], title: `t${i % 97}` })),
    );
  });

  it.each(['sort_by=city', 'sort_by=title&sort_order=asc', '', 'sort_by=image_id&sort_order=asc'])(
    'over 1 000 images neither skips nor repeats: ?%s',
    async (query) => {
      const whole = await list(client, `${query}&limit=10000`);
      expect(whole.toSorted()).toEqual(ids.toSorted());
      expect(await walk(client, `${query}&limit=73`)).toEqual(whole);
    },
  );

  it('has a cursor on every page but the last, even where the last is full', async () => {
    const pages: (string | null)[] = [];
    for (let cursor: string | null = ''; cursor !== null && pages.length < 9;) {
      cursor = (await client.rest('GET', `/imgs?limit=250&cursor=${cursor}`)).body.cursor;
      pages.push(cursor);
    }
    expect(pages).toEqual([expect.any(String), expect.any(String), expect.any(String), null]);
  });

  it('is given a cursor only where it asked for one', async () => {
    expect((await client.rest('GET', '/imgs?limit=1')).body).not.toHaveProperty('cursor');
  });

  it('gives every image that stays exactly once while others come and go', async () => {
    const own = await world.client();
    const staying = Array.from({ length: 60 }, (_, i) => ({ id: `s${i}`, ...one, city: cities[i % cities.length] }));
    const passing = Array.from({ length: 60 }, (_, i) => ({ id: `p${i}`, ...one, city: cities[i % cities.length] }));
    await own.write('POST', '/imgs', [...staying, ...passing]);
    let round = 0;
    const seen = await walk(own, 'sort_by=city&sort_order=asc&limit=13', async () => {
      const come = cities.map((city, i) => ({ id: `n${round}-${i}`, ...one, city }));
      await own.write('POST', '/imgs', come);
      const go = passing.splice(0, 8).map(({ id }) => ({ id }));
      if (go.length > 0) await own.write('DELETE', '/imgs', go);
      round += 1;
    });
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = seen.filter((id) => id.startsWith('s'));
    expect(stayed.toSorted()).toEqual(staying.map(({ id }) => id).toSorted());
  });

  it('goes on after a row that is gone', async () => {
    const own = await world.client();
    await own.write(
      'POST',
      '/imgs',
      ['a', 'b', 'c'].map((id) => ({ id, ...one })),
    );
    const { body } = await own.rest('GET', '/imgs?fields=image_id&limit=2&sort_by=image_id&sort_order=asc&cursor=');
    await own.write('DELETE', '/imgs/b');
    expect(await list(own, `limit=2&sort_by=image_id&sort_order=asc&cursor=${body.cursor}`)).toEqual(['c']);
  });
});

describe('a cursor that is not of this list', () => {
  const forge = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const place = fc.tuple(
    fc.constantFrom('width', 'title', 'created_at', 'date_start'),
    fc.constantFrom('asc', 'desc'),
    fc.oneof(
      fc.string({ unit: character }),
      fc.constant(null),
      fc.integer(),
      fc.constantFrom('1', '2024-01-01', 'NaN'),
    ),
    fc.oneof(fc.string({ unit: character }), fc.constant(null)),
  );
  let client: Client;
  beforeAll(async () => {
    client = await world.client();
    await client.write(
      'POST',
      '/imgs',
      ['a', 'b'].map((id) => ({ id, ...one, title: id })),
    );
  });

  it.each([
    ['nonsense', 'sort_by=width&cursor=nonsense'],
    ['JSON of another kind', `sort_by=width&cursor=${forge(1)}`],
    ['an empty list', `sort_by=width&cursor=${forge()}`],
    ['a value that the column cannot hold', `sort_by=width&cursor=${forge('width', 'desc', 'abc', 'a')}`],
    ['a number beyond the column', `sort_by=width&cursor=${forge('width', 'desc', '99999999999', 'a')}`],
    ['NUL in its value', `sort_by=title&cursor=${forge('title', 'desc', 'a\0', 'a')}`],
    ['NUL in its id', `sort_by=title&cursor=${forge('title', 'desc', 'a', 'a\0')}`],
    ['a day that is none', `sort_by=date&cursor=${forge('date_start', 'desc', '2023-02-30', 'a')}`],
    ['no moment', `cursor=${forge('created_at', 'desc', 'yesterday-ish', 'a')}`],
  ])('answers 422: %s', async (_, query) => {
    const { status, body } = await client.rest('GET', `/imgs?${query}`);
    const msg = 'The cursor does not match this query and order';
    expect([status, body.detail]).toMatchObject([
      422,
      [{ loc: ['query', 'cursor'], msg, input: query.split('cursor=')[1] }],
    ]);
  });

  it('answers 422 where it was given for another order or field', async () => {
    const { body } = await client.rest('GET', '/imgs?sort_by=title&sort_order=asc&limit=1&cursor=');
    for (const query of ['sort_by=title&sort_order=desc', 'sort_by=city&sort_order=asc', '']) {
      expect((await client.rest('GET', `/imgs?${query}&cursor=${body.cursor}`)).status).toBe(422);
    }
  });

  it('never answers anything but 200 or 422, whatever it holds', async () => {
    const property = fc.asyncProperty(place, async ([column, order, key, id]) => {
      const sortBy = column === 'created_at' ? '' : column.replace('_start', '');
      const path = `/imgs?sort_by=${sortBy}&sort_order=${order}&cursor=${forge(column, order, key, id)}`;
      expect([200, 422]).toContain((await client.rest('GET', path)).status);
    });
    await fc.assert(property, { numRuns: runsOf('walks through lists') });
  });
});
