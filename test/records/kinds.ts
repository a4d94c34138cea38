import type { Resource } from '../../src/catalog/index.ts';
import { clipInto } from '../support/clips.ts';
import type { SharedWorld } from '../support/world.ts';

/** What a kind of record is called, and a source for it. */
export type Kind = Readonly<{
  resource: Resource;
  path: string;
  id: string;
  one: string;
  /** Its long text. */
  text: string;
  /** GraphQL: the type of its input, the list, and the stem of its mutations. */
  type: string;
  list: string;
  /** The size that its sources have. */
  size: Readonly<{ width: number; height: number }>;
  /** Writes a source into the media folder. */
  source(world: SharedWorld, name: string): Promise<string>;
}>;

export const kinds: readonly Kind[] = [
  {
    resource: 'image',
    path: '/imgs',
    id: 'image_id',
    one: 'an image',
    text: 'caption',
    type: 'Image',
    list: 'images',
    size: { width: 40, height: 30 },
    source: (world, name) => world.picture(`${name}.png`),
  },
  {
    resource: 'video',
    path: '/vids',
    id: 'video_id',
    one: 'a video',
    text: 'description',
    type: 'Video',
    list: 'videos',
    size: { width: 64, height: 48 },
    source: (world, name) => clipInto(world.media, `${name}.webm`),
  },
];
