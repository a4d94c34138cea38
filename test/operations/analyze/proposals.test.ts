import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { tenantIdOf } from '../support.ts';

type Proposal = Readonly<{ field: string; values: readonly string[]; isFilled: boolean }>;

describe.each([false, true])('what the analysis proposes, where it fills empty fields: %s', (fills) => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    const imageAnalyzer = analyzerOf(['colors', 'shape', 'concepts', 'caption']);
    world = await openWorld({ analyses: true, imageAnalyzer });
    const original = sharp(join(packageRoot, 'examples', 'pictures', 'nagasaki-boats.jpg'));
    await original.grayscale().toFile(join(world.media, 'bw.jpg'));
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    client = await world.client();
    const id = await tenantIdOf(world, client);
    await world.backing.database.prisma.tenant.update({ where: { id }, data: { aiFill: fills } });
    await client.write('POST', '/imgs/a?lang=es', { src_path: 'bw.jpg' });
  });

  const read = async () =>
    (
      await client.graphql(`{ image(id: "a") { caption keywords lockedFields
        proposals { field values isFilled provenance { field source analyzer confidence } } } }`)
    ).data.image;
  const proposalsOf = async (field: string): Promise<Proposal[]> =>
    (await read()).proposals.filter((each: Proposal) => each.field === field);
  const patch = (values: object) => client.write('PATCH', '/imgs/a', values);

  it('is a text and keywords in the language of the record, with where they come from', async () => {
    const [{ caption, keywords, proposals }, text, list] = [
      await read(),
      await proposalsOf('caption'),
      await proposalsOf('keywords'),
    ];
    expect(proposals).toHaveLength(2);
    expect(text).toMatchObject([{ isFilled: fills, provenance: { field: 'caption', source: 'analyzer' } }]);
    expect(list).toMatchObject([
      { isFilled: fills, provenance: { field: 'keywords', confidence: expect.any(Number) } },
    ]);
    expect(list[0]?.values).toContain('blanco y negro');
    if (fills) expect([[caption], keywords]).toEqual([text[0]?.values, list[0]?.values]);
    else expect([caption, keywords]).toEqual([null, null]);
  });

  it('is accepted, edited or not, by writing it, and is then the value of a person', async () => {
    const [text, list] = [await proposalsOf('caption'), await proposalsOf('keywords')];
    await patch({ caption: text[0]?.values[0], keywords: list[0]?.values.map((each) => each.toUpperCase()) });
    expect((await read()).proposals).toEqual([]);
    await patch({ keywords: { remove: ['BLANCO Y NEGRO'] } });
    expect(await proposalsOf('keywords')).toMatchObject([{ values: ['blanco y negro'], isFilled: false }]);
    await patch({ caption: null });
    expect(await proposalsOf('caption')).toMatchObject([{ values: text[0]?.values, isFilled: false }]);
  });

  it('is refused by a list of keywords and by locks, in the next analyses too', async () => {
    const [list] = await proposalsOf('keywords');
    const others = list?.values.filter((each) => each !== 'blanco y negro') ?? [];
    await patch({ keywords: null, refused_keywords: { add: ['blanco y negro'] } });
    await patch({ caption: null, locked_fields: { add: ['caption'] } });
    expect((await proposalsOf('keywords')).flatMap(({ values }) => values)).toEqual(others);
    expect(await proposalsOf('caption')).toEqual([]);
    const again = 'mutation { r: analyzeImages(ids: ["a"], force: true, wait: true) { ... on Operation { numGood } } }';
    expect((await client.graphql(again)).data.r).toEqual({ numGood: 1 });
    // Another file of the same picture is analyzed as if for the first time.
    copyFileSync(join(world.media, 'bw.jpg'), join(world.media, 'again.jpg'));
    await patch({ src_path: 'again.jpg' });
    const { caption, keywords } = await read();
    expect([caption, await proposalsOf('caption')]).toEqual([null, []]);
    expect(keywords ?? []).not.toContain('blanco y negro');
    expect((await proposalsOf('keywords')).flatMap(({ values }) => values)).toEqual(others);
  });

  it('is nothing in a former state of the record, nor in a locked field', async () => {
    const at = new Date().toISOString();
    await patch({ locked_fields: ['keywords', 'caption'] });
    expect((await read()).proposals).toEqual([]);
    const { data } = await client.graphql(`{ image(id: "a", at: "${at}") { proposals { field } } }`);
    expect(data.image).toEqual({ proposals: [] });
  });
});
