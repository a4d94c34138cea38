import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { socketClient } from '../../live/support.ts';
import { tenantIdOf } from '../../operations/support.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { Client, SharedWorld } from '../../support/world.ts';

let world: SharedWorld;
let client: Client;
let theirs: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 160, height: 90 });
  [client, theirs] = [await world.client(), await world.client()];
});

const one = { src_path: 'p.png' };

async function watch(name: string, formula: string, as = client): Promise<void> {
  const { errors } = await as.graphql(
    `mutation ($name: String!, $formula: String!) {
      saveFormula(name: $name, formula: $formula, replace: true, watching: true) { watching } }`,
    { name, formula },
  );
  expect(errors).toBeUndefined();
}

type WatchEvent = Readonly<{ event: string; id: string; number: number }>;

/** Events of a formula, once all changes were evaluated. */
async function eventsOf(name: string, of = client): Promise<string[]> {
  await settled();
  const { rows } = await world.backing.database.pool.query<{ text: string }>(
    `SELECT kind || ' ' || ref AS text FROM notification WHERE tenant_id = $1 AND formula = $2 ORDER BY number`,
    [await tenantIdOf(world, of), name],
  );
  return rows.map(({ text }) => text.replace('record.', ''));
}

async function settled(): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    const { rowCount } = await world.backing.database.pool.query('SELECT FROM standing_outbox LIMIT 1');
    if (rowCount === 0) return;
    await sleep(25);
  }
  throw new Error('changes are not evaluated');
}

/** Reads an event stream until it has so many events. */
async function readEvents(name: string, count: number, headers: Record<string, string> = {}): Promise<WatchEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${world.url}/formulas/${encodeURIComponent(name)}/events`, {
    headers: { 'API-Key': client.key, ...headers },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  const events: WatchEvent[] = [];
  let text = '';
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (events.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      if (lines['data'] !== undefined)
        events.push({ event: lines['event'] ?? '', id: JSON.parse(lines['data']).id, number: Number(lines['id']) });
    }
  }
  stop.abort();
  return events;
}

describe('a formula that watches', () => {
  it('reports records that begin and cease to match, by creation, change, deletion and undo', async () => {
    await client.write('POST', '/imgs', [{ ...one, id: 'before', country: 'Spain' }]);
    await watch('spain', 'country:Spain');
    await client.write('POST', '/imgs', [
      { ...one, id: 'a', country: 'spain' },
      { ...one, id: 'b', country: 'France' },
    ]);
    await client.write('PATCH', '/imgs/b', { country: 'Spain' });
    await client.write('PATCH', '/imgs/before', { title: 'Still there' });
    expect(await eventsOf('spain')).toEqual(['matched a', 'matched b']);
    await client.write('PATCH', '/imgs/a', { country: 'Peru' });
    const { operation_id: id } = await client.write('DELETE', '/imgs/before');
    expect(await eventsOf('spain')).toEqual(['matched a', 'matched b', 'unmatched a', 'unmatched before']);
    await client.write('POST', `/ops/${id}/undo`);
    expect((await eventsOf('spain')).at(-1)).toBe('matched before');
  });

  it('may be requested twice at the same time', async () => {
    await client.graphql('mutation { saveFormula(name: "twice", formula: "country:Chile") { name } }');
    const begin = () => client.graphql('mutation { watchFormula(name: "twice", watching: true) { watching } }');
    const answers = await Promise.all([begin(), begin(), begin(), begin()]);
    expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined, undefined]);
    await client.write('POST', '/imgs', [{ ...one, id: 't1', country: 'Chile' }]);
    expect(await eventsOf('twice')).toEqual(['matched t1']);
  });

  it('starts with what its last text matches, even if it is saved several times at the same time', async () => {
    await client.write('POST', '/imgs', [
      { ...one, id: 'chad', country: 'Chad' },
      { ...one, id: 'togo', country: 'Togo' },
    ]);
    for (let n = 0; n < 5; n += 1) {
      await Promise.all(['Chad', 'Togo', 'Chad', 'Togo'].map((country) => watch(`saves${n}`, `country:${country}`)));
      const { rows } = await world.backing.database.pool.query<{ formula: string; country: string }>(
        `SELECT s.formula, i.country FROM saved_formula s JOIN standing_formula f USING (tenant_id, name)
         JOIN standing_match m ON m.tenant_id = $1 AND m.resource = 'image' AND f.id = ANY (m.formulas)
         JOIN image i ON i.row_id = m.row_id WHERE s.tenant_id = $1 AND s.name = $2`,
        [await tenantIdOf(world, client), `saves${n}`],
      );
      expect(rows.map(({ country }) => `country:${country}`)).toEqual(rows.map(({ formula }) => formula));
      expect(rows).toHaveLength(1);
    }
  });

  it('leaves nothing behind in what it matches, however often it stops and starts again', async () => {
    await client.write('POST', '/imgs', [{ ...one, id: 'often', country: 'Malta' }]);
    await watch('meanwhile', 'country:Malta');
    for (let n = 0; n < 3; n += 1) {
      await watch('often', 'country:Malta');
      await client.graphql('mutation { watchFormula(name: "often", watching: false) { watching } }');
    }
    await watch('often', 'country:Malta');
    const { rows } = await world.backing.database.pool.query<{ formulas: readonly number[] }>(
      `SELECT m.formulas FROM standing_match m JOIN image i USING (tenant_id, row_id)
       WHERE i.tenant_id = $1 AND i.image_id = 'often' AND m.resource = 'image'`,
      [await tenantIdOf(world, client)],
    );
    expect(rows[0]?.formulas).toHaveLength(2);
  });

  it('reports words in any form, of numbers, negations and saved formulas', async () => {
    await watch('dogs', 'dogs AND NOT keywords:indoor');
    await watch('wide', 'width>100');
    await client.graphql('mutation { saveFormula(name: "inner", formula: "city:Rome") { name } }');
    await watch('outer', 'saved:inner OR city:Oslo');
    await client.write('POST', '/imgs', [
      { ...one, id: 'd1', title: 'A dog in the rain' },
      { ...one, id: 'd2', title: 'A dog', keywords: ['indoor'] },
      { ...one, id: 'd3', title: 'A cat', city: 'rome' },
    ]);
    expect(await eventsOf('dogs')).toEqual(['matched d1']);
    expect(await eventsOf('wide')).toEqual(['matched d1', 'matched d2', 'matched d3']);
    expect(await eventsOf('outer')).toEqual(['matched d3']);
    await client.write('PATCH', '/imgs/d2', { keywords: [] });
    await client.write('PATCH', '/imgs/d1', { title: 'A cat in the rain' });
    expect(await eventsOf('dogs')).toEqual(['matched d1', 'matched d2', 'unmatched d1']);
  });

  it('reports places in collections', async () => {
    await client.graphql('mutation { createCollection(name: "Covers") { name } }');
    await watch('covers', 'collection:Covers');
    const { errors } = await client.graphql('mutation { addToCollection(name: "Covers", ids: ["d1"]) { changed } }');
    expect(errors).toBeUndefined();
    expect(await eventsOf('covers')).toEqual(['matched d1']);
  });

  it('reports the places in a collection that is renamed or deleted', async () => {
    await client.write('POST', '/imgs', [{ ...one, id: 's1' }]);
    await client.graphql('mutation { createCollection(name: "Spring") { name } }');
    await client.graphql('mutation { addToCollection(name: "Spring", ids: ["s1"]) { changed } }');
    await watch('spring', 'collection:Spring');
    await watch('summer', 'collection:Summer');
    await client.graphql('mutation { renameCollection(name: "Spring", to: "Summer") { name } }');
    expect(await eventsOf('spring')).toEqual(['unmatched s1']);
    expect(await eventsOf('summer')).toEqual(['matched s1']);
    await client.graphql('mutation { deleteCollection(name: "Summer") { name } }');
    expect(await eventsOf('summer')).toEqual(['matched s1', 'unmatched s1']);
  });

  it('reports the deletion of records that are in several collections, and the undo', async () => {
    await client.graphql(
      'mutation { a: createCollection(name: "A") { name } b: createCollection(name: "B") { name } }',
    );
    await watch('gathered', 'collection:A');
    await client.write('POST', '/imgs', [{ ...one, id: 'c1' }]);
    await client.graphql(
      'mutation { a: addToCollection(name: "A", ids: ["c1"]) { changed } b: addToCollection(name: "B", ids: ["c1"]) { changed } }',
    );
    expect(await eventsOf('gathered')).toEqual(['matched c1']);
    const { operation_id: id } = await client.write('DELETE', '/imgs/c1');
    expect(await eventsOf('gathered')).toEqual(['matched c1', 'unmatched c1']);
    await client.write('POST', `/ops/${id}/undo`);
    expect((await eventsOf('gathered')).at(-1)).toBe('matched c1');
  });

  it('reports to its own tenant only', async () => {
    await watch('spain', 'country:Spain', theirs);
    await theirs.write('POST', '/imgs', [{ ...one, id: 'x', country: 'Spain' }]);
    expect(await eventsOf('spain', theirs)).toEqual(['matched x']);
    expect(await eventsOf('spain')).not.toContain('matched x');
  });

  it('begins anew when its text is replaced, and is silent when it no longer watches', async () => {
    await watch('changing', 'author:Ana');
    await client.write('POST', '/imgs', [{ ...one, id: 'n1', author: 'Ana' }]);
    expect(await eventsOf('changing')).toEqual(['matched n1']);
    await watch('changing', 'author:Bea');
    await client.write('POST', '/imgs', [{ ...one, id: 'n2', author: 'Bea' }]);
    expect(await eventsOf('changing')).toEqual(['matched n1', 'matched n2']);
    await client.graphql('mutation { watchFormula(name: "changing", watching: false) { watching } }');
    await client.write('POST', '/imgs', [{ ...one, id: 'n3', author: 'Bea' }]);
    expect(await eventsOf('changing')).toEqual(['matched n1', 'matched n2']);
  });

  it('reports nothing while a formula that it names is missing, and goes on when that is saved again', async () => {
    const save = () => client.graphql('mutation { saveFormula(name: "part", formula: "city:Lima") { name } }');
    await save();
    await watch('whole', 'saved:part');
    await client.write('POST', '/imgs', [{ ...one, id: 'w1', city: 'Lima' }]);
    expect(await eventsOf('whole')).toEqual(['matched w1']);
    await client.graphql('mutation { deleteSavedFormula(name: "part") { name } }');
    await client.write('PATCH', '/imgs/w1', { title: 'Changed meanwhile' });
    expect(await eventsOf('whole')).toEqual(['matched w1']);
    await save();
    await client.write('POST', '/imgs', [{ ...one, id: 'w2', city: 'Lima' }]);
    expect(await eventsOf('whole')).toEqual(['matched w1', 'matched w2']);
    await client.write('PATCH', '/imgs/w1', { city: 'Cusco' });
    expect(await eventsOf('whole')).toEqual(['matched w1', 'matched w2', 'unmatched w1']);
  });

  it('goes on when a formula that it names is renamed, also through another one', async () => {
    await client.graphql('mutation { saveFormula(name: "old one", formula: "city:Quito") { name } }');
    await client.graphql(
      `mutation { saveFormula(name: "mid", formula: "saved:\\"old one\\" OR city:Oruro") { name } }`,
    );
    await watch('beyond', 'saved:mid AND NOT city:"saved:old one"');
    await client.write('POST', '/imgs', [{ ...one, id: 'q1', city: 'Quito' }]);
    expect(await eventsOf('beyond')).toEqual(['matched q1']);
    for (const [name, to] of [
      ['old one', 'x y'],
      ['mid', 'AND'],
    ])
      await client.graphql(`mutation { renameSavedFormula(name: "${name}", to: "${to}") { name } }`);
    await client.write('POST', '/imgs', [{ ...one, id: 'q2', city: 'Quito' }]);
    expect(await eventsOf('beyond')).toEqual(['matched q1', 'matched q2']);
    const { data } = await client.graphql('{ savedFormulas(limit: 100) { results { name formula } } }');
    expect(data.savedFormulas.results).toEqual(
      expect.arrayContaining([
        { name: 'AND', formula: 'saved:"x y" OR city:Oruro' },
        { name: 'beyond', formula: 'saved:"AND" AND NOT city:"saved:old one"' },
      ]),
    );
  });

  it('reads the pictures that it compares with on other connections than that of its transaction', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const ids = ['several1', 'several2', 'several3', 'several4'];
    await client.write('POST', '/imgs', ids.map((id) => ({ id, ...one }))); // prettier-ignore
    for (const dryRun of [false, true]) {
      const formula = `i~(${ids.join(' ')})`;
      const { errors } = await client.graphql(
        `mutation { saveFormula(name: "several", formula: "${formula}", watching: true, dryRun: ${dryRun}) { name } }`,
      );
      expect(errors).toMatchObject([{ extensions: { type: 'formula.unknown_reference' } }]); // Not analyzed.
    }
    await sleep(0); // Node reports a warning in the next turn.
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('refuses what cannot be decided for one record, with its place and a hint', async () => {
    const { errors } = await client.graphql(
      'mutation { saveFormula(name: "text", formula: "i~text:dog", watching: true) { name } }',
    );
    expect(errors).toMatchObject([{ extensions: { code: 'invalid_formula' } }]);
    expect(JSON.stringify(errors)).toContain('not_watchable');
    const { data } = await client.graphql('{ savedFormulas(limit: 100) { results { name watching } } }');
    expect(data.savedFormulas.results).not.toContainEqual(expect.objectContaining({ name: 'text' }));
    expect(data.savedFormulas.results).toContainEqual({ name: 'wide', watching: true });
  });
});

describe('the event stream of a formula', () => {
  it('sends events as they happen, and continues after the last one that was seen', async () => {
    await watch('live', 'country:Chile');
    const first = readEvents('live', 2);
    await sleep(200);
    await client.write('POST', '/imgs', [
      { ...one, id: 'l1', country: 'Chile' },
      { ...one, id: 'l2', country: 'Chile' },
    ]);
    const events = await first;
    expect(events.map(({ event, id }) => `${event} ${id}`)).toEqual(['matched l1', 'matched l2']);
    await client.write('DELETE', '/imgs/l1');
    const later = await readEvents('live', 2, { 'Last-Event-ID': String(events[0]?.number) });
    expect(later.map(({ event, id }) => `${event} ${id}`)).toEqual(['matched l2', 'unmatched l1']);
  });

  it.each(['1000000', '9007199254740993', '9'.repeat(30)])(
    'begins now behind a number that is yet to come: %s',
    async (id) => {
      await watch('live', 'country:Chile');
      const open = readEvents('live', 1, { 'Last-Event-ID': id });
      await sleep(200);
      await client.write('POST', '/imgs', [{ ...one, id: `late-${id}`, country: 'Chile' }]);
      expect((await open).map((event) => event.id)).toEqual([`late-${id}`]);
    },
  );

  it('goes on under the new name of its formula, also for those who come back', async () => {
    await watch('former', 'country:Cuba');
    const open = readEvents('former', 3);
    await sleep(200);
    await client.write('POST', '/imgs', [{ ...one, id: 'r1', country: 'Cuba' }]);
    await settled();
    const { data } = await client.graphql(
      'mutation { renameSavedFormula(name: "former", to: "latter") { name watching } }',
    );
    expect(data.renameSavedFormula).toEqual({ name: 'latter', watching: true });
    await watch('former', 'country:Peru');
    await client.write('POST', '/imgs', [
      { ...one, id: 'r2', country: 'Cuba' },
      { ...one, id: 'r3', country: 'Peru' },
      { ...one, id: 'r4', country: 'Cuba' },
    ]);
    const events = await open;
    expect(events.map(({ event, id }) => `${event} ${id}`)).toEqual(['matched r1', 'matched r2', 'matched r4']);
    expect(await eventsOf('former')).toEqual(['matched r3']);
    const again = await readEvents('latter', 3, { 'Last-Event-ID': String((events[0]?.number ?? 0) - 1) });
    expect(again).toEqual(events);
  });

  it('goes on when the text of its formula is replaced', async () => {
    await watch('replaced', 'author:Eva');
    const open = readEvents('replaced', 1);
    await sleep(200);
    await watch('replaced', 'author:Ida');
    await client.write('POST', '/imgs', [{ ...one, id: 'i1', author: 'Ida' }]);
    expect(await open).toMatchObject([{ event: 'matched', id: 'i1' }]);
  });

  it.each([
    ['is deleted', 'deleteSavedFormula(name: "ending") { name }'],
    ['no longer watches', 'watchFormula(name: "ending", watching: false) { name }'],
  ])('ends, and says so, when its formula %s', async (_what, mutation) => {
    await watch('ending', 'author:Zoe');
    const open = client.rest('GET', '/formulas/ending/events');
    await sleep(200);
    await client.write('POST', '/imgs/z1', { ...one, author: 'Zoe' });
    await settled();
    await client.graphql(`mutation { ${mutation} }`);
    await client.write('DELETE', '/imgs/z1');
    const { body } = await open;
    expect(body).toMatch(/event: matched\ndata: .*"z1".*\n\n: The formula was deleted, or no longer watches\n\n$/);
    expect(body).not.toContain('unmatched');
  });

  it('ends in GraphQL with an error', async () => {
    await watch('ending', 'author:Zoe');
    const query = 'subscription { matches(name: "ending") { id } }';
    const results = socketClient(world.url, client.key).iterate({ query });
    const first = results.next();
    await sleep(200);
    await client.graphql('mutation { deleteSavedFormula(name: "ending") { name } }');
    expect(await first).toMatchObject({
      value: {
        errors: [{ message: 'The formula was deleted, or no longer watches', extensions: { code: 'not_found' } }],
      },
    });
    expect(await results.next()).toMatchObject({ done: true });
  });

  it('is 404 for a formula that does not watch', async () => {
    expect((await client.rest('GET', '/formulas/inner/events')).status).toBe(404);
    expect((await theirs.rest('GET', '/formulas/live/events')).status).toBe(404);
  });
});

describe('the changes of a tenant with very many formulas', () => {
  it('are evaluated a few records at a time, and none is left out', async () => {
    const many = await world.client();
    await watch('many', '', many);
    // As if so many watched: then a round takes two records.
    await world.backing.database.pool.query('UPDATE standing_tenant SET formulas = 250000 WHERE tenant_id = $1', [
      await tenantIdOf(world, many),
    ]);
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5'];
    await many.write(
      'POST',
      '/imgs',
      ids.map((id) => ({ ...one, id })),
    );
    expect((await eventsOf('many', many)).toSorted()).toEqual(ids.map((id) => `matched ${id}`));
  });
});

describe('the log of notifications', () => {
  it('reports ended operations, with what they did', async () => {
    const { operation_id: id } = await client.write('PATCH', '/imgs/l2', { title: 'Told' });
    const { rows } = await world.backing.database.pool.query(
      "SELECT kind, data FROM notification WHERE kind = 'operation.finished' AND operation_id = $1",
      [id],
    );
    expect(rows).toEqual([
      {
        kind: 'operation.finished',
        data: expect.objectContaining({ kind: 'images.update', num_good: 1, is_aborted: false }),
      },
    ]);
  });

  it('reports copies where they are flagged', async () => {
    await client.write('POST', '/imgs?on_duplicate=flag', [{ ...one, id: 'copy' }]);
    const { rows } = await world.backing.database.pool.query(
      "SELECT ref, data FROM notification WHERE kind = 'duplicate.found' AND tenant_id = $1",
      [await tenantIdOf(world, client)],
    );
    expect(rows).toEqual([{ ref: 'copy', data: { duplicate_of: expect.any(String) } }]);
  });
});
