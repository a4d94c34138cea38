/** What the endpoints need to know about a kind of record: its path, its names, and the scopes to read and write it. */
export const imageKind = {
  path: '/imgs',
  idParameter: 'image_id',
  exampleId: { read: 'airplane', written: 'example-1' },
  one: 'image',
  many: 'images',
  type: 'Image',
  scope: 'imgs:write',
  readScope: 'imgs:read',
} as const;

export const videoKind = {
  path: '/vids',
  idParameter: 'video_id',
  exampleId: { read: 'nagasaki', written: 'example-1' },
  one: 'video',
  many: 'videos',
  type: 'Video',
  scope: 'vids:write',
  readScope: 'vids:read',
} as const;

export type RecordKind = typeof imageKind | typeof videoKind;
