import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../../support/command.ts';
import { run } from '../../support/program.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { full } from '../../support/effort.ts';

let world: World;
let client: Client;
let theirs: Client;

beforeAll(async () => {
  world = await openWorld();
  await world.picture('p.png', { width: 160, height: 90 });
  client = await world.client({ tenant: 'agency' });
  theirs = await world.client();
  const one = { src_path: 'p.png' };
  await client.write('POST', '/imgs?lang=en', [
    { ...one, id: 'a', title: 'Sunset at the beach', country: 'es', keywords: ['sea'] },
    { ...one, id: 'b', title: 'A dog at the beach', country: 'fr', keywords: ['sea', 'dog'] },
    { ...one, id: 'c', title: 'A cat', country: 'fr' },
  ]);
  await theirs.write('POST', '/imgs', [{ ...one, id: 'x', title: 'beach zeppelin' }]);
});
afterAll(() => world.close());

async function explain(q: string, query = ''): Promise<any> {
  // oxlint-disable-line no-explicit-any -- what tests look into
  const { status, body } = await client.rest('GET', `/imgs/explain?${new URLSearchParams({ q })}${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

describe('the explanation of a formula', () => {
  it('is its tree with what each clause finds alone, and the whole', async () => {
    const { text, sentence, count, clauses } = await explain('beach -(dog | country:fr)');
    expect([text, count]).toEqual(['beach AND NOT (dog OR country:fr)', 1]);
    expect(sentence).toBe(
      'Images that have the word “beach” and are not among those that either have the word “dog” or have “fr” as country.',
    );
    const rows = clauses.map(({ id, parent, kind, text: own, position, length, count: found }: Record<string, unknown>) => [id, parent, kind, own, position, length, found]); // prettier-ignore
    expect(rows).toEqual([
      [0, null, 'and', 'beach AND NOT (dog OR country:fr)', 0, 25, 1],
      [1, 0, 'term', 'beach', 0, 5, 2],
      [2, 0, 'not', 'NOT (dog OR country:fr)', 6, 19, 1],
      [3, 2, 'or', 'dog OR country:fr', 8, 16, 2],
      [4, 3, 'term', 'dog', 8, 3, 1],
      [5, 3, 'term', 'country:fr', 14, 10, 2],
    ]);
  });

  it('speaks Spanish where it is asked to', async () => {
    expect((await explain('beach', '&language=es')).sentence).toBe('Imágenes que tienen la palabra «beach».');
    expect((await client.rest('GET', '/imgs/explain?q=a&language=fr')).status).toBe(422);
  });

  it.each([
    ['beach country:pt', 2, 2],
    ['country:pt', 0, 3],
    ['sunset dog', 2, 1],
    ['keywords:sea sunset country:fr', 3, 1],
    ['nothing (country:pt | country:de)', 1, 0],
    ['beach -*', 2, 2],
  ])('says which clause of %s leaves nothing', async (q, clause, countWithout) => {
    expect((await explain(q)).emptied).toEqual({ clause, count_without: countWithout });
  });

  it('says nothing of that where something is found', async () => {
    expect((await explain('beach')).emptied).toBeNull();
    expect(await explain('')).toMatchObject({ text: '', sentence: 'All of them.', count: 3, clauses: [] });
  });

  it('warns of what can never match', async () => {
    const { warnings } = await explain('country:(es fr)');
    const message = "country has one value: it cannot be 'es' and 'fr' at once";
    expect(warnings).toEqual([{ code: 'never_matches', message, position: 12, length: 2 }]);
  });

  it('shows the correction of a mistyped word', async () => {
    expect((await explain('sunstet')).corrections).toEqual([{ word: 'sunstet', meanings: ['sunset'] }]);
  });

  it('knows a reference to nothing among videos, too', async () => {
    const { errors } = await client.graphql('{ explainFormula(q: "beach i~~123", resource: video) { count } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_formula', type: 'formula.unknown_reference' });
  });

  it('knows a reference to nothing, as a search does', async () => {
    const { status, body } = await client.rest('GET', `/imgs/explain?q=${encodeURIComponent('beach i~~123')}`);
    expect([status, body.detail[0].type, body.detail[0].ctx.position]).toEqual([422, 'formula.unknown_reference', 9]);
  });

  it('is the mistake where there is one, as a search says it', async () => {
    const explained = await client.rest('GET', '/imgs/explain?q=contry:es');
    const searched = await client.rest('GET', '/imgs?q=contry:es');
    expect([explained.status, explained.body]).toEqual([422, searched.body]);
  });

  it('is the same over GraphQL, of videos too', async () => {
    const { data } = await client.graphql(
      '{ explainFormula(q: "beach", language: es) { text sentence count emptied { clause } } }',
    );
    expect(data.explainFormula).toEqual({
      text: 'beach',
      sentence: 'Imágenes que tienen la palabra «beach».',
      count: 2,
      emptied: null,
    });
    const videos = await client.graphql('{ explainFormula(q: "fps:25", resource: video) { sentence count } }');
    expect(videos.data.explainFormula).toEqual({ sentence: 'Videos that have a frame rate of 25.', count: 0 });
    const narrow = await world.client({ tenant: 'agency', role: 'viewer', scopes: ['imgs:read'] });
    const { errors } = await narrow.graphql('{ explainFormula(q: "fps:25", resource: video) { count } }');
    expect(errors).toMatchObject([{ extensions: { code: 'forbidden', requiredScope: 'vids:read' } }]);
  });

  it('counts the records of its own tenant alone', async () => {
    expect((await explain('zeppelin')).count).toBe(0);
  });

  it('stays below its limits for a formula of 200 terms', async () => {
    const { clauses, warnings } = await explain(Array.from({ length: 200 }, (_, i) => `w${i}`).join(' | '));
    expect([clauses.length, warnings[0].code]).toEqual([201, 'not_counted']);
  });

  it('is at the command line too', full, async () => {
    const environment = {
      DATABASE_URL: world.backing.database.pool.options.connectionString ?? '',
      ADMIN_API_KEY: 'a-key-of-the-operator-0001',
    };
    const started = run(['explain', 'beach country:pt', '--tenant', 'agency'], environment);
    expect([await started.ended, started.output()]).toEqual([0, expect.stringContaining('without it: 2')]);
    const mistaken = await command(['explain', 'beach contry:pt', '--tenant', 'agency'], environment);
    expect(mistaken).toMatchObject({ code: 1, output: expect.stringContaining('      ^^^^^^') });
  });
});

describe('an explanation of a formula that finds nothing', () => {
  const suggested = async (q: string) =>
    (await explain(q)).suggestions.map(({ formula, count }: { formula: string; count: number }) => [formula, count]);

  beforeAll(async () => {
    await client.write('POST', '/imgs?lang=en', [
      { src_path: 'p.png', id: 'd', title: 'Migrant mother', author: 'Dorothea Lange', country: 'Japan' },
    ]);
  });

  it('suggests the value in full of which a word was requested', async () => {
    expect(await suggested('author:lange')).toEqual([['author:"Dorothea Lange"', 1]]);
    expect(await suggested('mother author:lange')).toEqual([['mother author:"Dorothea Lange"', 1]]);
  });

  it('suggests a country under the name that records have, for its ISO code or its name in another language', async () => {
    expect(await suggested('country:JP')).toEqual([['country:Japan', 1]]);
    expect(await suggested('country:Япония')).toEqual([['country:Japan', 1]]);
    expect(await suggested('country:France')).toEqual([['country:fr', 2]]);
  });

  it('suggests OR where the words are not found together', async () => {
    expect(await suggested('sunset cat')).toEqual([['sunset OR cat', 2]]);
    expect(await suggested('sunset cat country:es')).toEqual([['(sunset OR cat) country:es', 1]]);
  });

  it('suggests nothing where something is found, or where nothing close to it would be', async () => {
    expect(await suggested('beach')).toEqual([]);
    expect(await suggested('status:nothing')).toEqual([]);
  });

  it('suggests nothing that would be beyond the limits of a formula or of looking up values', async () => {
    expect(await suggested(`country:JP${' '.repeat(4086)}`)).toEqual([]);
    expect(await suggested(`author:${'ß'.repeat(40)}`)).toEqual([]);
  });

  it('names the pictures of a similarity with their titles, at the command line in Spanish too', full, async () => {
    const environment = {
      DATABASE_URL: world.backing.database.pool.options.connectionString ?? '',
      ADMIN_API_KEY: 'a-key-of-the-operator-0001',
    };
    const explained = run(['explain', 'i==d', '--tenant', 'agency', '--language', 'es'], environment);
    expect([await explained.ended, explained.output()]).toEqual([
      0,
      expect.stringContaining('Imágenes que muestran la misma imagen que d «Migrant mother».'),
    ]);
    expect(explained.output()).toContain('Nota: Las partes con similitud no se cuentan una a una');
  });
});

describe('the name of a file', () => {
  it('is searched as file:, by its words, its beginning and as a whole', async () => {
    await mkdir(join(world.media, 'folder'));
    await world.picture('folder/night-train_01.png', { width: 20, height: 10 });
    await client.write('POST', '/imgs', [{ id: 'f', src_path: 'folder/night-train_01.png' }]);
    for (const q of [
      'file:train',
      'file:night-train_01.png',
      'file:nig*',
      'file="NIGHT-train_01.png"',
      'file:p*,night',
    ]) {
      const { body } = await client.rest('GET', `/imgs?${new URLSearchParams({ q })}&fields=image_id`);
      const ids = body.results.map((row: { image_id: string }) => row.image_id);
      expect([q, ids.includes('f'), ids.includes('a')]).toEqual([q, true, q.includes('p*')]);
    }
    const { count } = await explain('file:folder');
    expect(count).toBe(0);
  });
});
