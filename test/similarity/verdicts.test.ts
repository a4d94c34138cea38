import { beforeEach, describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { addHashed, flipped, hashOf } from './hashed.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

const base = hashOf('base');
/** Distances to `a`: near 4, same 20, far 128 or so. */
const pictures = [
  { id: 'a', hash: base },
  { id: 'near', hash: flipped(base, 4) },
  { id: 'same', hash: flipped(base, 20) },
  { id: 'far', hash: hashOf('far') },
];

beforeEach(async () => {
  client = await world.client();
  await world.backing.database.pool.query('UPDATE tenant SET search_verify = true');
  await addHashed(world, client, pictures);
});

async function search(q: string): Promise<string[]> {
  const { body } = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
  return body.results.map((row: { image_id: string }) => row.image_id).toSorted();
}

const judge = (first: string, second: string, verdict: string) =>
  client.rest('PUT', `/verdicts/${first}/${second}`, { verdict });
const tiers = async (of: string) => [await search(`i===${of}`), await search(`i==${of}`), await search(`i=${of}`)];

describe('a verdict on two images', () => {
  it('is kept once for a pair, whichever is named first, with who said it and when', async () => {
    const { status, body } = await judge('near', 'a', 'same');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      first_id: 'a',
      second_id: 'near',
      verdict: 'same',
      key_prefix: client.key.slice(0, 11),
    });
    expect(body.said_by).toContain('admin of tenant');
    expect((await judge('a', 'near', 'different')).body).toMatchObject({ first_id: 'a', verdict: 'different' });
    const { body: page } = await client.rest('GET', '/verdicts?image_id=near');
    expect(page).toMatchObject({ count: 1, results: [{ first_id: 'a', second_id: 'near', verdict: 'different' }] });
    expect((await client.rest('GET', '/verdicts?verdict=same')).body.count).toBe(0);
  });

  it('takes different images out of every tier, from either side', async () => {
    expect(await tiers('a')).toEqual([['near'], ['near', 'same'], ['near', 'same']]);
    await judge('a', 'near', 'different');
    expect(await tiers('a')).toEqual([[], ['same'], ['same']]);
    expect(await search('i=near')).toEqual(['same']);
    expect(await search('i====a')).toEqual([]);
  });

  it('leaves a variant to the widest tier, and puts the same picture into every one', async () => {
    await judge('a', 'near', 'variant');
    await judge('far', 'a', 'same');
    expect(await tiers('a')).toEqual([['far'], ['far', 'same'], ['far', 'near', 'same']]);
    expect(await tiers('far')).toEqual([['a'], ['a'], ['a']]);
    expect(await search('i====a')).toEqual(['far']);
    await judge('far', 'a', 'variant');
    expect(await tiers('far')).toEqual([[], [], ['a']]);
  });

  it('is taken back, and measures count again', async () => {
    await judge('a', 'near', 'different');
    expect((await client.rest('DELETE', '/verdicts/near/a')).body).toMatchObject({ verdict: 'different' });
    expect(await search('i===a')).toEqual(['near']);
    expect((await client.rest('DELETE', '/verdicts/near/a')).status).toBe(404);
  });

  it('goes with its images, and when one of them gets another file', async () => {
    const other = await world.picture('other.png', { color: 'red' });
    await judge('a', 'near', 'different');
    await judge('a', 'same', 'different');
    await client.write('PATCH', '/imgs/near', { title: 'new' });
    expect((await client.rest('GET', '/verdicts')).body.count).toBe(2);
    await client.write('PATCH', '/imgs/near', { src_path: other });
    await client.write('DELETE', '/imgs/same');
    expect((await client.rest('GET', '/verdicts')).body).toEqual({ results: [], count: 0 });
  });

  it('is about two images that are there', async () => {
    expect((await judge('a', 'nobody', 'same')).status).toBe(404);
    const { status, body } = await judge('a', 'a', 'same');
    expect([status, body.detail[0].msg]).toEqual([422, 'A verdict requires two different images']);
    expect((await judge('a', 'near', 'perhaps')).status).toBe(422);
  });

  it('is said by those who may, recorded, and unknown to other tenants', async () => {
    await judge('a', 'near', 'different');
    const { body: me } = await client.rest('GET', '/me');
    const viewer = await world.client({ tenant: me.tenant, role: 'tagger' });
    expect((await viewer.rest('PUT', '/verdicts/a/near', { verdict: 'same' })).body.detail).toBe(
      "Role 'tagger' may not search for duplicates and judge them",
    );
    expect((await viewer.rest('GET', '/verdicts')).body.count).toBe(1);
    const { data } = await client.graphql('{ auditTrail(action: "verdict.given") { results { subject keyPrefix } } }');
    expect(data.auditTrail.results).toEqual([{ subject: 'different: a, near', keyPrefix: client.key.slice(0, 11) }]);
    const stranger = await world.client();
    await addHashed(world, stranger, pictures);
    expect((await stranger.rest('GET', '/verdicts')).body.count).toBe(0);
    expect((await stranger.rest('DELETE', '/verdicts/a/near')).status).toBe(404);
  });
});
