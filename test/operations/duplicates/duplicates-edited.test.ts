import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReach } from '../../../src/operations/index.ts';
import { edits, openOriginal, saveEdit, rotateHash } from '../../../src/analysis/index.ts';
import { addHashed, flipped, hashOf } from '../../similarity/hashed.ts';
import { corpusFolder, noCorpus } from '../../support/corpus.ts';
import { drawForm } from '../../support/forms.ts';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, send, until } from '../support.ts';
import { firstOf, full } from '../../support/effort.ts';

type Group = Readonly<{ members: readonly Readonly<{ image_id: string; distance: number }>[] }>;

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({
    analyses: true,
    imageAnalyzer: analyzerOf(['shape', 'pdq', 'localFeatures', 'embedding']),
  });
  client = await world.client();
});
afterAll(() => world.close());

const found = async (of = client): Promise<string[][]> => {
  const { body } = await of.rest('GET', '/duplicates?tier=edited&limit=100&members=100');
  return body.results.map(({ members }: Group) => members.map(({ image_id: id }) => id).toSorted()).toSorted();
};
const find = (q = '') => client.write('POST', `/duplicates?tier=edited&q=${encodeURIComponent(q)}`);

/** Sets of what pairs connect, of two and more. */
function components(names: readonly string[], pairs: readonly (readonly [string, string])[]): string[][] {
  const sets = new Map(names.map((name) => [name, new Set([name])]));
  for (const [a, b] of pairs) {
    const [one, two] = [sets.get(a), sets.get(b)];
    if (one === undefined || two === undefined || one === two) continue;
    for (const name of two) sets.set(name, one.add(name));
  }
  const all = [...new Set(sets.values())].filter(({ size }) => size > 1);
  return all.map((set) => [...set].toSorted()).toSorted();
}

describe.skipIf(noCorpus)('groups of edits', full, () => {
  const originals = ['p02-cat', 'p06-picos', 'p07-dogs'];
  const chosen = [
    'PNG',
    'half size',
    'banner',
    'turned 2°',
    'center 70 %',
    'mirrored and cropped',
    'quarter turn',
    'turned 12°',
  ];
  const names: string[] = [];
  const pairs: [string, string][] = [];

  /** What each picture finds by itself. */
  async function searchAll(): Promise<void> {
    pairs.length = 0;
    for (const name of names) {
      const q = encodeURIComponent(`i=${name}`);
      const { status, body } = await client.rest('GET', `/imgs?fields=image_id&limit=200&q=${q}`);
      if (status !== 200) throw new Error(`i=${name} answered ${status}: ${JSON.stringify(body)}`);
      for (const { image_id: other } of body.results as { image_id: string }[]) pairs.push([name, other]);
    }
  }

  beforeAll(async () => {
    const elements: object[] = [];
    const add = (id: string, bytes: Buffer) => {
      writeFileSync(join(world.media, `${id}.jpg`), bytes);
      names.push(id);
      elements.push({ id, src_path: `${id}.jpg`, country: elements.length % 2 === 0 ? 'es' : 'fr' });
    };
    for (const name of originals) {
      const bytes = await sharp(readFileSync(join(corpusFolder, `originals/${name}.jpg`)))
        .resize(500, 500, { fit: 'inside' })
        .jpeg({ quality: 92 })
        .toBuffer();
      add(name, bytes);
      const original = await openOriginal(bytes);
      for (const edit of edits.filter((each) => chosen.includes(each.name))) {
        add(`${name}-${edit.name.replaceAll(/[^a-z0-9]+/gi, '-')}`, await saveEdit(edit, original));
      }
    }
    // Nearly blank: copies have the same pixels, which hashes do not show.
    for (const [id, color, format] of [
      ['grey', '#808080', 'png'],
      ['grey-again', '#808080', 'jpeg'],
      ['white', '#fff', 'png'],
    ] as const) {
      const plain = { create: { width: 300, height: 200, channels: 3, background: color } } as const;
      add(id, await sharp(plain).toFormat(format).toBuffer());
    }
    const operation = await send(client, 'POST', '/imgs', elements);
    const { num_good: stored, ...ended } = await finished(client, operation, 170_000);
    if (stored !== names.length)
      throw new Error(`only ${stored} of ${names.length} were stored: ${JSON.stringify(ended)}`);
    // A machine with much else to do gives pictures up.
    await client.graphql(`mutation { analyzeImages(q: "-ai_status:done", wait: true) { __typename } }`);
    await searchAll();
  }, 240_000);

  it('are what searches by i= of each picture connect, in a whole catalog and in a part of it', async () => {
    const expected = components(names, pairs);
    expect(expected.some((group) => group.length > 5)).toBe(true);
    expect(await find()).toMatchObject({ num_total: names.length, num_good: names.length, is_finished: true });
    expect(await found()).toEqual(expected);
    const french = names.filter((_, k) => k % 2 === 1);
    await find('country:fr');
    expect(await found()).toEqual(components(french, pairs));
  });

  it('hold those of the surer tiers', async () => {
    await find();
    const wide = await found();
    await client.write('POST', '/duplicates?tier=same');
    const { body } = await client.rest('GET', '/duplicates?tier=same&limit=100');
    for (const { members } of body.results as Group[]) {
      const group = members.map(({ image_id: id }) => id);
      expect(wide.filter((other) => group.every((id) => other.includes(id)))).toHaveLength(1);
    }
    expect(body.results.length).toBeGreaterThan(0);
  });

  it('honor verdicts: variants belong together, and what is different never does', async () => {
    await client.rest('PUT', '/verdicts/p06-picos/p07-dogs', { verdict: 'variant' });
    await client.rest('PUT', '/verdicts/p02-cat/p02-cat-banner', { verdict: 'different' });
    await searchAll();
    await find();
    const groups = await found();
    expect(groups.some((group) => group.includes('p02-cat') && group.includes('p02-cat-banner'))).toBe(false);
    const parts = components(names, pairs);
    const others = (each: string[][]) => each.filter((group) => !group.some((id) => id.startsWith('p02-cat')));
    expect(others(groups)).toEqual(others(parts));
    expect(groups.find((group) => group.includes('p06-picos'))).toContain('p07-dogs');
    // What was one group is in two now, and nothing else of it is lost.
    const cats = groups.filter((group) => group.some((id) => id.startsWith('p02-cat')));
    const whole = parts.find((group) => group.includes('p02-cat')) as string[];
    expect(cats.flat().toSorted()).toEqual(expect.arrayContaining(whole.filter((id) => !id.endsWith('banner'))));
  }, 60_000);
});

describe('forms of one design', () => {
  const groupsBy = async (tier: string, of: Client): Promise<string[][]> => {
    await of.write('POST', `/duplicates?tier=${tier}`);
    const { body } = await of.rest('GET', `/duplicates?tier=${tier}`);
    return body.results.map(({ members }: Group) => members.map(({ image_id: id }) => id).toSorted()).toSorted();
  };

  it('are distinguished by i== and in its groups, each with its copies', full, async () => {
    const own = await world.client();
    const designs = firstOf(2, [0, 1, 2]);
    const names: string[] = [];
    for (const k of designs) {
      const form = await drawForm(k);
      const files = {
        [`form${k}`]: form,
        [`form${k}-copy`]: await sharp(form).resize(600).jpeg({ quality: 60 }).toBuffer(),
      };
      for (const [id, bytes] of Object.entries(files)) {
        writeFileSync(join(world.media, `${id}.jpg`), bytes);
        names.push(id);
      }
    }
    const elements = names.map((id) => ({ id, src_path: `${id}.jpg` }));
    await finished(own, await send(own, 'POST', '/imgs', elements), 60_000);
    for (const name of names) {
      const { body } = await own.rest('GET', `/imgs?fields=image_id&q=i==${name}`);
      const copy = name.endsWith('copy') ? name.slice(0, 5) : `${name}-copy`;
      expect(body.results.map((row: { image_id: string }) => row.image_id)).toEqual([copy]);
    }
    const pairs = designs.map((k) => [`form${k}`, `form${k}-copy`]);
    expect(await groupsBy('same', own)).toEqual(pairs);
    expect(await groupsBy('edited', own)).toEqual(pairs);
    // Parted again where people said that two are not the same: forms do not come back that way.
    await own.rest('PUT', '/verdicts/form0/form0-copy', { verdict: 'different' });
    expect(await groupsBy('same', own)).toEqual(pairs.slice(1));
  });
});

describe('a search for edits', () => {
  it('finds flips and turns by the hash alone, with the distance in the turn that fits', async () => {
    const own = await world.client();
    const cat = hashOf('cat');
    await addHashed(world, own, [
      { id: 'cat', hash: cat },
      { id: 'flipped', hash: flipped(rotateHash(cat, 'flipHorizontal'), 7) },
      { id: 'dog', hash: hashOf('dog') },
    ]);
    await own.write('POST', '/duplicates?tier=edited');
    const { body } = await own.rest('GET', '/duplicates');
    expect(body).toMatchObject({
      search: { tier: 'edited', distance: 31, num_groups: 1 },
      results: [{ members: [{ image_id: 'cat' }, { image_id: 'flipped', distance: 7 }] }],
    });
  });

  it('is aborted while it looks, and leaves nothing', full, async () => {
    const own = await world.client();
    await own.rest('GET', '/me');
    const many = Array.from({ length: 10_000 }, (_, k) => ({ id: `m${k}`, hash: hashOf(`m${k}`) }));
    await addHashed(world, own, many);
    const id = await send(own, 'POST', '/duplicates?tier=edited');
    await until(own, id, { is_started: true, num_total: 10_000 });
    expect((await own.rest('DELETE', `/ops/${id}`)).body).toMatchObject({ is_aborted: true, is_finished: true });
    expect((await own.rest('GET', `/duplicates?op_id=${id}`)).status).toBe(404);
  });

  it('is refused among more images than can be compared in detail', () => {
    expect(() => checkReach('edited', 100_000)).not.toThrow();
    expect(() => checkReach('same', 1_000_000)).not.toThrow();
    expect(() => checkReach('edited', 100_001)).toThrow('at most 100000 images, not 100001');
  });
});
