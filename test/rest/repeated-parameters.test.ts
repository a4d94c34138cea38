import { describe, expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

const problem = { Accept: 'application/problem+json' };
const listsOf = (path: string) =>
  endpoints.flatMap((each) =>
    each.path === path && each.method === 'GET' ? each.parameters.filter(({ type }) => type.kind === 'list') : [],
  );

/** Every parameter of every endpoint that may be repeated, with two of its values. */
const lists = ['/imgs', '/imgs/{image_id}', '/vids', '/vids/{video_id}'].flatMap((path) =>
  listsOf(path).map(({ name, type }) => {
    const values = type.kind === 'list' && type.of.kind === 'enum' ? type.of.values : [];
    return [path.replace(/\{.*\}/, 'a'), name, values[0] ?? '', values[1] ?? ''] as const;
  }),
);

it('there are lists of fields and facets', () => {
  expect(new Set(lists.map(([, name]) => name))).toEqual(new Set(['fields', 'facets']));
});

describe.each(lists)('%s with the list %s', (path, name, a, b) => {
  const repeated = `?${name}=${a}&${name}=${b}`;
  const hint = `Repeat the parameter: ${repeated}`;

  it('takes it repeated, without a hint', async () => {
    const { status, headers } = await client.rest('GET', `${path}${repeated}`);
    expect([status === 200 || status === 404, headers.get('warning')]).toEqual([true, null]);
  });

  it.each([`${name}=${a},${b}`, `${name}=${a}%2C%20${b},`])('says how to repeat it, of %s', async (query) => {
    const plain = await client.rest('GET', `${path}?${query}`);
    const faults = [{ type: 'enum', loc: ['query', name, '0'], input: expect.any(String) }];
    expect([plain.status, plain.body]).toMatchObject([422, { detail: faults }]);
    expect(plain.headers.get('warning')).toBe(`299 - "${hint}"`);
    const { status, body } = await client.rest('GET', `${path}?${query}`, undefined, problem);
    expect([status, body.hint, body.errors.length]).toEqual([422, hint, 1]);
  });

  it.each([`${name}[]=${a}&${name}[]=${b}`, `${name}%5B0%5D=${a}&${name}%5b1%5d=${b}`])(
    'ignores the name of another spelling, and says so, of %s',
    async (query) => {
      const { status, headers } = await client.rest('GET', `${path}?${query}`);
      expect(status === 200 || status === 404).toBe(true);
      expect(headers.get('warning')).toBe(`299 - "${hint}"`);
    },
  );
});

describe('the hint of a list', () => {
  const warningOf = async (query: string) => (await client.rest('GET', `/imgs${query}`)).headers.get('warning');

  it('keeps everything else as it was sent', async () => {
    expect(await warningOf('?q=a%22b&fields=src,title&limit=3&facets[]=city&fields=date')).toBe(
      '299 - "Repeat the parameter: ?q=a%22b&fields=src&fields=title&limit=3&facets=city&fields=date"',
    );
  });

  it('is not given to others with commas and brackets', async () => {
    expect(await warningOf('?q=a,b[]&foo[]=1&sort_by=&fields=src')).toBeNull();
  });

  it('is short where the query is long, and holds nothing that a header cannot', async () => {
    const long = await warningOf(`?q=${'a'.repeat(5000)}&fields=src,title`);
    expect(long).toBe('299 - "Repeat the parameter: ?fields=src&fields=title"');
    expect(await warningOf(`?fields=${'b,'.repeat(3000)}`)).toBe('299 - "Repeat the parameter: name=a&name=b"');
    expect(await warningOf(`?fields=src,${encodeURIComponent('"é\r\nX: y')}`)).toBe(
      '299 - "Repeat the parameter: ?fields=src&fields=%22%C3%A9%0D%0AX%3A%20y"',
    );
  });
});

describe('the hint of a typing error', () => {
  const warningOf = async (query: string) => (await client.rest('GET', `/imgs?${query}`)).headers.get('warning');

  it.each([
    ['limits=5', "'limits' is not a parameter: Did you mean limit?"],
    ['sortBy=title', "'sortBy' is not a parameter: Did you mean sort_by?"],
    ['Q=a', "'Q' is not a parameter: Did you mean q?"],
    ['facetValues=city', "'facetValues' is not a parameter: Did you mean facets?"],
    ['sort_by=titel', "'titel': Did you mean title?"],
    ['sort_by=Title', "'Title': Did you mean title?"],
    ['sort_order=ascending', "'ascending': Did you mean asc?"],
    [
      'facets=city&facets=kewords&field=city',
      "'kewords': Did you mean keywords? 'field' is not a parameter: Did you mean fields?",
    ],
    ['fields=%22titl%C3%A9', "'%22titl%C3%A9': Did you mean title?"],
  ])('names what was meant by %s', async (query, hint) => {
    expect(await warningOf(query)).toBe(`299 - "${hint}"`);
  });

  it('is also in problem details, and the plain reply stays that of the contract', async () => {
    const { body } = await client.rest('GET', '/vids?sort_by=titel', undefined, problem);
    expect(body.hint).toBe("'titel': Did you mean title?");
    const plain = await client.rest('GET', '/vids?sort_by=titel');
    expect(Object.keys(plain.body.detail[0])).toEqual(['type', 'loc', 'msg', 'input', 'ctx']);
    expect(Object.keys(plain.body.detail[0].ctx)).toEqual(['expected']);
  });

  it('names five mistakes at most, and ends soon', async () => {
    const { length } = (await warningOf(Array.from({ length: 5_000 }, (_, i) => `limi${i}`).join('&'))) ?? '';
    expect(length).toBeGreaterThan(50);
    expect(length).toBeLessThan(500);
  });

  it('is not given where nothing alike is known', async () => {
    expect(await warningOf('_=17&utm_source=x&filter=a')).toBeNull();
    expect(await warningOf('sort_by=nonsense')).toBeNull();
  });
});
