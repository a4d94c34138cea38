import { getNamedType, isEnumType } from 'graphql';
import type { GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client();
  await world.picture('a.png');
  await client.write('POST', '/imgs', [
    { id: '1', src_path: 'a.png' },
    { id: 'b c', src_path: 'a.png' },
  ]);
});

describe('an image', () => {
  it('has its identifier under the name that caches look for, alone or beside the other', async () => {
    expect((await client.graphql('{ image(id: "b c") { id } }')).data).toEqual({ image: { id: 'b c' } });
    expect((await client.graphql('{ image(id: "1") { imageId id width } }')).data).toEqual({
      image: { imageId: '1', id: '1', width: 40 },
    });
  });

  it('has it in lists, whatever they are sorted by', async () => {
    const lists = ['sortBy: image_id, sortOrder: asc', 'sortOrder: asc', 'q: "width:40", sortBy: title'];
    for (const list of lists) {
      const { data } = await client.graphql(`{ images(${list}) { results { id imageId __typename } cursor count } }`);
      expect(data.images.results).toEqual([
        { id: '1', imageId: '1', __typename: 'Image' },
        { id: 'b c', imageId: 'b c', __typename: 'Image' },
      ]);
    }
  });
});

describe('images and videos', () => {
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();

  it.each([
    ['id', 'ID!', 'ID!'],
    ['aiStatus', 'AiStatus', 'AiStatus'],
    ['similarity', 'Float', 'Float'],
  ])('have %s of one type', (field, ofImages, ofVideos) => {
    expect([fieldsOf('Image')[field]?.type.toString(), fieldsOf('Video')[field]?.type.toString()]).toEqual([
      ofImages,
      ofVideos,
    ]);
  });

  it('name the states of their analysis alike', () => {
    expect(isEnumType(getNamedType(fieldsOf('Video')['aiStatus']?.type))).toBe(true);
  });
});
