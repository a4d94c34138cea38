import { describe, expect, it } from 'vitest';
import { tenantIdOf } from '../../operations/support.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { Client, SharedWorld } from '../../support/world.ts';
import { full } from '../../support/effort.ts';

let world: SharedWorld;
let client: Client;
let theirs: Client;
let tenantId: number;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 160, height: 90 });
  [client, theirs] = [await world.client({ tenant: 'agency' }), await world.client()];
  tenantId = await tenantIdOf(world, client);
  const one = { src_path: 'p.png' };
  await client.write('POST', '/imgs?lang=en', [
    { ...one, id: 'a', title: 'Sunset at the beach', country: 'es' },
    { ...one, id: 'b', title: 'A dog at the beach', country: 'fr' },
    { ...one, id: 'c', title: 'A cat', country: 'fr' },
  ]);
});

const document =
  'mutation ($name: String!, $formula: String!, $replace: Boolean!) { saveFormula(name: $name, formula: $formula, replace: $replace) { name formula } }';

function save(name: string, formula: string, { replace = false, as = client } = {}) {
  return as.graphql(document, { name, formula, replace });
}

function rename(name: string, to: string) {
  const query = 'mutation ($name: String!, $to: String!) { renameSavedFormula(name: $name, to: $to) { name } }';
  return client.graphql(query, { name, to });
}

/** Puts a formula where `save` keeps it, without its checks: it may have made sense once. */
async function write(name: string, formula: string): Promise<void> {
  await world.backing.database.pool.query(`INSERT INTO saved_formula (tenant_id, name, formula) VALUES ($1, $2, $3)`, [
    tenantId,
    name,
    formula,
  ]);
}

async function search(q: string, as = client): Promise<string[] | string> {
  const { status, body } = await as.rest('GET', `/imgs?fields=image_id&${new URLSearchParams({ q })}`);
  if (status !== 200) return `${status} ${body.detail[0].type} ${body.detail[0].ctx.position}`;
  return body.results.map(({ image_id: id }: { image_id: string }) => id).toSorted();
}

describe('a saved formula', () => {
  it('stands for itself in others, by any name', async () => {
    expect((await save('Covers of May', 'beach|cat')).data.saveFormula).toEqual({
      name: 'Covers of May',
      formula: 'beach OR cat',
    });
    await save('french', 'country:fr');
    expect(await search('saved:french')).toEqual(['b', 'c']);
    expect(await search('SAVED:"Covers of May" -saved:french')).toEqual(['a']);
    await save('both', 'saved:french saved:"Covers of May" -cat');
    expect(await search('saved:both')).toEqual(['b']);
  });

  it('is listed by name, replaced where that is asked for, and deleted', async () => {
    await save('zebra', 'dog');
    expect((await save('zebra', 'cat')).errors).toMatchObject([
      { extensions: { code: 'invalid_argument', argument: 'name' } },
    ]);
    expect((await save('zebra', 'cat', { replace: true })).data.saveFormula.formula).toBe('cat');
    const { data } = await client.graphql('{ savedFormulas(limit: 10) { count results { name formula } } }');
    expect(data.savedFormulas.results.at(-1)).toEqual({ name: 'zebra', formula: 'cat' });
    expect(data.savedFormulas.count).toBe(data.savedFormulas.results.length);
    const remove = 'mutation { deleteSavedFormula(name: "zebra") { name } }';
    expect((await client.graphql(remove)).data.deleteSavedFormula).toEqual({ name: 'zebra' });
    expect((await client.graphql(remove)).data.deleteSavedFormula).toBeNull();
    expect(await search('saved:zebra')).toBe('422 formula.unknown_reference 6');
  });

  it('never leads back to itself', async () => {
    expect((await save('self', 'dog saved:self')).errors).toMatchObject([{ extensions: { type: 'formula.too_deep' } }]);
    await save('first', 'dog');
    await save('second', 'saved:first');
    const { errors } = await save('first', 'cat | saved:second', { replace: true });
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid_formula', type: 'formula.too_deep', ctx: { position: 12 } } },
    ]);
    // Two that were saved at the same moment could still meet: reading them is refused then.
    await world.backing.database.pool.query(`UPDATE saved_formula SET formula = 'saved:second' WHERE name = 'first'`);
    expect(await search('saved:second')).toBe('422 formula.too_deep 6');
  });

  it('that names others that name others does not grow without end', async () => {
    await save('n0', 'a | b | c | d | e | f | g | h');
    for (let n = 1; n < 12; n += 1) {
      const { errors } = await save(`n${n}`, `saved:n${n - 1} x${n} | -saved:n${n - 1}`);
      if (errors === undefined) continue;
      expect([n > 6, errors[0]?.extensions['type']]).toEqual([true, 'formula.too_complex']);
      return;
    }
    expect.unreachable('the last is refused');
  });

  it('that is gone is missed quickly, however often the others lead to it', full, async () => {
    await save('level0', 'dog');
    for (let n = 1; n < 20; n += 1) {
      const below = `saved:level${n - 1}`;
      const { errors } = await save(`level${n}`, Array.from({ length: 10 }, (_, i) => `(${below} OR ${i})`).join(' '));
      if (errors === undefined) continue;
      expect(errors[0]?.extensions['type']).toBe('formula.too_complex');
      await write(`level${n}`, Array.from({ length: 10 }, (_, i) => `(${below} OR ${i})`).join(' '));
    }
    expect(await search('dog saved:level19')).toBe('422 formula.too_complex 10');
    const remove = 'mutation { deleteSavedFormula(name: "level0") { name } }';
    expect((await client.graphql(remove)).data.deleteSavedFormula).toEqual({ name: 'level0' });
    const { status, body } = await client.rest('GET', '/imgs?q=cat%20saved:level19');
    expect([status, body.detail[0]]).toMatchObject([
      422,
      {
        msg: "The saved formula 'level19' has a mistake in 'level1', to which it refers: No formula is saved as 'level0' at 10",
        type: 'formula.unknown_reference',
        ctx: { position: 10, hint: expect.stringContaining('Write the name as it was saved') },
      },
    ]);
    expect((await save('level20', 'saved:level19')).errors).toMatchObject([
      { extensions: { type: 'formula.unknown_reference' } },
    ]);
  });

  it('leads to a bounded number of others, one inside the other and in all', async () => {
    await write('tower0', 'dog');
    for (let n = 1; n <= 20; n += 1) await write(`tower${n}`, `saved:tower${n - 1}`);
    expect(await search('saved:tower19')).toEqual(['b']);
    expect(await search('saved:tower20')).toBe('422 formula.too_deep 6');
    const names = Array.from({ length: 101 }, (_, n) => `wide${n}`);
    for (const name of names) await write(name, 'dog');
    const all = (count: number) => names.slice(0, count).map((name) => `saved:${name}`);
    expect(await search(all(100).join(' '))).toEqual(['b']);
    expect(await search(all(101).join(' '))).toBe('422 formula.too_complex 0');
  });

  it('has its mistakes reported when it is saved, and at its name if they arise later', async () => {
    expect((await save('wrong', 'contry:es')).errors).toMatchObject([
      { extensions: { type: 'formula.unknown_field' } },
    ]);
    expect((await save('wrong', 'saved:nowhere')).errors).toMatchObject([
      { extensions: { type: 'formula.unknown_reference' } },
    ]);
    for (const name of ['', ' a', 'a"b', 'x'.repeat(101), 'a\nb']) {
      expect((await save(name, 'dog')).errors).toMatchObject([{ extensions: { argument: 'name' } }]);
    }
    await world.backing.database.pool.query(`UPDATE saved_formula SET formula = 'was:once' WHERE name = 'second'`);
    expect(await search('dog saved:second')).toBe('422 formula.unknown_field 10');
  });

  it('is refused if its canonical text is beyond the limits of a formula, because nothing could refer to it', async () => {
    const long = Array.from({ length: 200 }, (_, n) => `w${n}`.padEnd(19, 'x')).join('|');
    expect((await save('long', long)).errors).toMatchObject([{ extensions: { type: 'formula.too_complex' } }]);
    let high = 'x';
    for (let n = 0; n < 15; n += 1) high = `a${n} | b${n} (${high})`;
    expect((await save('high', high)).errors).toMatchObject([{ extensions: { type: 'formula.too_deep' } }]);
    expect(await search('dog saved:long')).toBe('422 formula.unknown_reference 10');
  });

  it('is renamed while those that it refers to are renamed, too', async () => {
    await save('root', 'dog');
    await save('branch', 'saved:root');
    await save('all', 'saved:root saved:branch');
    for (let n = 1; n <= 6; n += 1) {
      const [from, to] = n % 2 === 1 ? ['', '2'] : ['2', ''];
      const answers = await Promise.all([rename(`root${from}`, `root${to}`), rename(`branch${from}`, `branch${to}`)]);
      expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined]);
      expect(await search('saved:all')).toEqual(['b']);
    }
  });

  it('is renamed by one of two requests that choose the same name', async () => {
    for (let n = 0; n < 3; n += 1) {
      await save(`left${n}`, 'dog');
      await save(`right${n}`, 'cat');
      const answers = await Promise.all(['left', 'right'].map((side) => rename(`${side}${n}`, `middle${n}`)));
      const refused = answers.filter(({ errors }) => errors !== undefined);
      expect(refused).toMatchObject([{ errors: [{ extensions: { code: 'invalid_argument', argument: 'to' } }] }]);
    }
  });

  it('may ask of videos', async () => {
    expect((await save('fast', 'fps:50..')).data.saveFormula.formula).toBe('fps:50..');
    expect(await search('saved:fast')).toBe('422 formula.unknown_field 6');
  });

  it('counts its pictures with those of the formula that names it', async () => {
    await save('alike', 'i~1 | i~2 | i~3');
    expect(await search('saved:alike i~4 i~5 i~6')).toBe('422 formula.too_complex 0');
  });

  it("is another tenant's secret: its name is answered as one of nothing", async () => {
    await save('secret', 'beach');
    const [theirAnswer, none] = [
      await theirs.rest('GET', '/imgs?q=saved:secret'),
      await theirs.rest('GET', '/imgs?q=saved:nobody'),
    ];
    expect(theirAnswer.status).toBe(422);
    expect(JSON.stringify(theirAnswer.body).replaceAll('secret', 'nobody')).toBe(JSON.stringify(none.body));
    expect((await theirs.graphql('{ savedFormulas { count } }')).data.savedFormulas.count).toBe(0);
    expect(
      (await theirs.graphql('mutation { deleteSavedFormula(name: "secret") { name } }')).data.deleteSavedFormula,
    ).toBeNull();
    expect(await search('saved:secret')).toEqual(['a', 'b']);
  });

  it('is saved by those who may write formulas', async () => {
    const viewer = await world.client({ tenant: 'agency', role: 'viewer' });
    expect((await save('mine', 'dog', { as: viewer })).errors).toMatchObject([
      { message: "Role 'viewer' may not save formulas", extensions: { requiredScope: 'formulas:write' } },
    ]);
    expect(await search('saved:french', viewer)).toEqual(['b', 'c']);
  });
});
