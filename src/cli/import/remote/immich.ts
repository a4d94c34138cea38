import { z } from 'zod';
import { ask } from './api.ts';
import type { RemoteApi } from './api.ts';
import { dayOf, stated } from './catalog.ts';
import type { RemoteCatalog, RemoteRecord } from './catalog.ts';

/** The parts that are used of the answers of Immich's API, according to its OpenAPI document. */
const text = z.string().nullish();
const asset = z.object({
  id: z.uuid(),
  type: z.string(),
  originalFileName: z.string(),
  localDateTime: text,
  isTrashed: z.boolean().optional(),
  exifInfo: z
    .object({ description: text, city: text, state: text, country: text, fileSizeInByte: z.number().nullish() })
    .nullish(),
  people: z.array(z.object({ name: text })).optional(),
});
type Asset = z.infer<typeof asset>;
const page = z.object({ assets: z.object({ items: z.array(asset), nextPage: z.string().nullable() }) });
const named = z.array(z.object({ id: z.string(), albumName: z.string().optional(), value: z.string().optional() }));

const pageSize = 250;

/** Names of the albums or tags of each asset. */
type Labels = ReadonlyMap<string, readonly string[]>;

export const immich: RemoteCatalog = {
  headers: (key) => ({ 'x-api-key': key }),
  async *list(api) {
    const albums = await labelsOf(api, '/api/albums', 'albumIds');
    const tags = await labelsOf(api, '/api/tags', 'tagIds');
    for await (const each of assetsOf(api, {})) {
      const record = toRecord(each, albums, tags);
      if (record !== null) yield record;
    }
  },
};

/** A search does not return the albums of an asset, so each album is searched. */
async function labelsOf(api: RemoteApi, path: string, filter: 'albumIds' | 'tagIds'): Promise<Labels> {
  const labels = new Map<string, string[]>();
  for (const { id, albumName, value } of await ask(api, path, named)) {
    // The value of a tag is its path: of `places/Japan`, the last part is used, as in files.
    const label = albumName ?? value?.split('/').at(-1) ?? '';
    for await (const { id: own } of assetsOf(api, { [filter]: [id] })) {
      labels.set(own, [...(labels.get(own) ?? []), label]);
    }
  }
  return labels;
}

async function* assetsOf(api: RemoteApi, filter: object): AsyncIterable<Asset> {
  for (let next: string | null = '1'; next !== null;) {
    const body: object = {
      ...filter,
      page: Number(next),
      size: pageSize,
      order: 'asc',
      withExif: true,
      withPeople: true,
    };
    const { assets }: z.infer<typeof page> = await ask(api, '/api/search/metadata', page, body);
    yield* assets.items;
    next = assets.nextPage;
  }
}

/** Returns null for assets that are neither pictures nor videos, and for those in the trash. */
function toRecord(each: Asset, albums: Labels, tags: Labels): RemoteRecord | null {
  const { id, type, originalFileName, localDateTime, isTrashed, exifInfo, people = [] } = each;
  if ((type !== 'IMAGE' && type !== 'VIDEO') || isTrashed === true) return null;
  const resource = type === 'IMAGE' ? 'image' : 'video';
  const names = people.flatMap(({ name }) => (name ? [name] : []));
  return {
    id,
    resource,
    fileName: originalFileName,
    filePath: `/api/assets/${id}/original`,
    bytes: exifInfo?.fileSizeInByte ?? null,
    fields: stated({
      [resource === 'image' ? 'caption' : 'description']: exifInfo?.description,
      date: dayOf(localDateTime),
      city: exifInfo?.city,
      location: exifInfo?.state,
      country: exifInfo?.country,
      keywords: [...new Set([...(tags.get(id) ?? []), ...names])],
      collections: albums.get(id) ?? [],
    }),
  };
}
