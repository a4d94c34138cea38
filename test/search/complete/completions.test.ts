import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeField, formulaFields } from '../../../src/catalog/index.ts';
import { placeAt } from '../../../src/search/complete/place.ts';
import { clipInto } from '../../support/clips.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { Client, SharedWorld } from '../../support/world.ts';
import { anyFormula } from '../formula/arbitrary.ts';

let world: SharedWorld;
let client: Client;
let theirs: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 160, height: 90 });
  [client, theirs] = [await world.client(), await world.client()];
  const one = { src_path: 'p.png' };
  await client.write('POST', '/imgs?lang=en', [
    {
      ...one,
      id: 'a',
      title: 'Sunset',
      city: 'San Sebastián',
      keywords: ['sunflower', 'A, B'],
      author: 'Dorothea Lange',
    },
    { ...one, id: 'b', title: 'Sunrise', city: 'San Sebastián', keywords: ['sunflower'], author: 'Ansel Adams' },
    { ...one, id: 'c', title: 'Rain', city: 'Sangüesa', keywords: ['rain'], author: 'Eadweard Muybridge' },
  ]);
  await theirs.write('POST', '/imgs', [{ ...one, id: 'x', title: 'Sunken', city: 'Santander', author: 'Dora Maar' }]);
  await client.graphql('mutation { saveFormula(name: "Summer days", formula: "sun*") { name } }');
  await theirs.graphql('mutation { saveFormula(name: "Summit", formula: "sun*") { name } }');
});

type Item = Readonly<{ text: string; kind: string; count: number | null }>;

async function complete(text: string, position?: number) {
  const query =
    'query ($text: String!, $position: Int) { formulaCompletions(text: $text, position: $position, limit: 100) { position length results { text kind count } } }';
  const { data } = await client.graphql(query, { text, position });
  const { results, ...place } = data.formulaCompletions;
  return { ...place, texts: results.map((item: Item) => item.text), results } as {
    position: number;
    length: number;
    texts: string[];
    results: Item[];
  };
}

describe('completions', () => {
  it('are described in the language that is asked for', async () => {
    const query = `query ($text: String!) { formulaCompletions(text: $text, language: es) { results { text description } } }`;
    const describedIn = async (text: string) => {
      const { data } = await client.graphql(query, { text });
      return data.formulaCompletions.results as { text: string; description: string }[];
    };
    expect(await describedIn('heig')).toEqual([
      { text: 'height:', description: 'Altura en píxeles, con la orientación corregida.' },
    ]);
    expect(await describedIn('has')).toContainEqual({ text: 'has:', description: 'El campo tiene valor.' });
    expect(await describedIn('is:land')).toEqual([
      { text: 'landscape', description: 'Forma, según la anchura y la altura.' },
    ]);
  });

  it('and fields have descriptions of their own in Spanish', () => {
    const same = formulaFields.filter((field) => describeField(field, 'es') === field.description);
    expect(same.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['wid', ['width:'], 0, 3],
    ['beach heig', ['height:'], 6, 4],
    ['contry', ['country:'], 0, 6],
    ['width', ['width:', 'width=', 'width!=', 'width<', 'width<=', 'width>', 'width>='], 0, 5],
    ['sa', ['saved:', 'sanguesa'], 0, 2],
    ['is:land', ['landscape'], 3, 4],
    ['no:cap', ['caption'], 3, 3],
    ['orientation:p', ['portrait', 'panorama'], 12, 1],
    ['nsfw:', ['true', 'false', 'null'], 5, 0],
    ['nsfw:true,n', ['null'], 10, 1],
    ['created_at:last', ['lastweek', 'lastmonth', 'lastyear'], 11, 4],
    ['color:na', ['navy', 'navajowhite'], 6, 2],
    ['city:san', ['"San Sebastián"', 'Sangüesa'], 5, 3],
    ['(city:Vigo | city:"San S', ['"San Sebastián"'], 18, 6],
    ['keywords:(rain -sun', ['sunflower'], 16, 3],
    ['keywords:a', ['"A, B"'], 9, 1],
    ['sunr', ['sunrise'], 0, 4],
    ['title:suns', ['sunset'], 6, 4],
    ['saved:"sum', ['"Summer days"'], 6, 4],
    ['saved:', ['"Summer days"'], 6, 0],
    ['i~', ['id:', 'hash:', 'text:', '"'], 2, 0],
    ['width:12', [], 6, 2],
    ['nonsense:x', [], 9, 1],
    ['dog )', [], 5, 0],
    ['"a phrase', [], 9, 0],
  ])('of %s are %j', async (text, texts, position, length) => {
    const found = await complete(text);
    expect([found.texts, found.position, found.length]).toEqual([texts, position, length]);
  });

  it('are operators where the grammar takes them', async () => {
    const operators = async (text: string) =>
      (await complete(text)).results.filter(({ kind }) => kind === 'operator').map((item) => item.text);
    expect(await operators('')).toEqual(['NOT ', '(']);
    expect(await operators('dog ')).toEqual(['AND ', 'OR ', 'NOT ', '(']);
    expect(await operators('dog A')).toEqual(['AND ']);
    expect(await operators('dog OR ')).toEqual(['NOT ', '(']);
    expect(await operators('dog NOT ')).toEqual(['(']);
    expect(await operators('((dog ')).toEqual(['AND ', 'OR ', 'NOT ', '(', ')']);
  });

  it('are those of the place of the cursor, which counts code points', async () => {
    expect(await complete('🌅 cit dog', 5)).toMatchObject({ position: 2, length: 3, texts: ['city:'] });
  });

  it('show how many records have a value', async () => {
    expect((await complete('city:')).results[0]).toEqual({ text: '"San Sebastián"', kind: 'value', count: 2 });
  });

  it('can all be written: the formula then reads', async () => {
    for (const text of [
      'wid',
      'is:',
      'nsfw:',
      'orientation:',
      'city:',
      'keywords:',
      'created_at:',
      'color:',
      'saved:',
      'aspect_ratio:',
    ]) {
      const { position, results } = await complete(text);
      for (const { text: own, kind } of results) {
        const q = `${text.slice(0, position)}${own}${kind === 'field' ? '1' : ''}`;
        const { status } = await client.rest('GET', `/imgs?${new URLSearchParams({ q })}`);
        expect([q, status]).toEqual([q, 200]);
      }
    }
  });

  it('are none for a text that is longer than any value that is looked up', async () => {
    expect((await complete(`city:${'ß'.repeat(40)}`)).texts).toEqual([]);
  });

  it("never show another tenant's words, values or formulas", async () => {
    expect((await complete('sunk')).texts).toEqual([]);
    expect((await complete('city:sant')).texts).toEqual([]);
    expect((await complete('saved:sum')).texts).toEqual(['"Summer days"']);
    expect((await complete('author:dora')).texts).toEqual([]);
  });

  it('are found in any text, or none are', () => {
    const property = fc.property(anyFormula, fc.nat(40), (text, position) => {
      const { length } = [...text];
      const place = placeAt(text, Math.min(position, length));
      if (place === null) return;
      expect(place.span.start).toBeGreaterThanOrEqual(0);
      expect(place.span.end).toBe(Math.min(position, length));
      expect(place.part).toBe([...text].slice(place.span.start, place.span.end).join(''));
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

describe('values of a facet', () => {
  async function values(args: string, as = client) {
    const { data, errors } = await as.graphql(`{ facetValues(${args}) { value count } }`);
    return errors ?? data.facetValues.map(({ value, count }: { value: string; count: number }) => [value, count]);
  }

  it('are found by their beginning, by that of a word in them, and with a typing mistake', async () => {
    expect(await values('field: author, text: "dor"')).toEqual([['Dorothea Lange', 1]]);
    expect(await values('field: author, text: "LANG"')).toEqual([['Dorothea Lange', 1]]);
    expect(await values('field: author, text: "dorotea"')).toEqual([['Dorothea Lange', 1]]);
    expect(await values('field: author, text: "dorohtea l"')).toEqual([['Dorothea Lange', 1]]);
    expect(await values('field: city, text: "sangues"')).toEqual([['Sangüesa', 1]]);
    expect(await values('field: city, text: "dor"')).toEqual([]);
    expect(await values('field: city, text: "\\u0000"')).toEqual([]);
    expect(await values('field: keywords, text: "sunfl"')).toEqual([['sunflower', 2]]);
    expect(await values(`field: city, text: "${'e\u0301'.repeat(59)}"`)).toEqual([]);
    expect(await values('field: nsfw')).toEqual([]);
    expect(await values('field: orientation, text: "l"')).toEqual([['landscape', 3]]);
  });

  it.each(['x'.repeat(61), `e${'\u0323\u0301'.repeat(20_000)}`])(
    'are none of a text that is too long',
    async (text) => {
      const began = performance.now();
      expect(await values(`field: city, text: "${text}"`)).toMatchObject([
        { extensions: { code: 'invalid_argument' } },
      ]);
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );

  it('are the most frequent ones without a beginning, among what a formula finds', async () => {
    expect(await values('field: city, limit: 1')).toEqual([['San Sebastián', 2]]);
    expect(await values('field: city, q: "rain"')).toEqual([['Sangüesa', 1]]);
    expect(await values('field: city, q: "contry:x"')).toMatchObject([{ extensions: { code: 'invalid_formula' } }]);
  });

  it('are those of videos where they are asked for', async () => {
    const clip = { src_path: await clipInto(world.media, 'clip.webm'), author: 'Maya Deren' };
    await client.write('POST', '/vids', [{ ...clip, id: 'v' }]);
    const { data } = await client.graphql('{ videoFacetValues(field: author, text: "maja d") { value count } }');
    expect(data.videoFacetValues).toEqual([{ value: 'Maya Deren', count: 1 }]);
    expect(await values('field: author, text: "maya"')).toEqual([]);
  });

  it("are never another tenant's", async () => {
    expect(await values('field: author, text: "dora"')).toEqual([]);
    expect(await values('field: author, text: "dora"', theirs)).toEqual([['Dora Maar', 1]]);
  });

  it('are refused for a text that is too long', async () => {
    expect(await values(`field: author, text: "${'a'.repeat(61)}"`)).toMatchObject([
      { extensions: { argument: 'text' } },
    ]);
    expect(await values(`field: author, limit: 101`)).toMatchObject([{ extensions: { argument: 'limit' } }]);
  });
});
