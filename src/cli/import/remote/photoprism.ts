import { z } from 'zod';
import { ask } from './api.ts';
import type { RemoteApi } from './api.ts';
import { dayOf, splitAtCommas, stated } from './catalog.ts';
import type { RemoteCatalog, RemoteRecord } from './catalog.ts';

/** The parts that are used of the answers of PhotoPrism's API. */
const text = z.string().nullish();
const found = z.object({
  UID: z.string().regex(/^\w+$/),
  Type: z.string(),
  Title: text,
  Caption: text,
  // The former name of the caption.
  Description: text,
  TakenAtLocal: text,
  PlaceCity: text,
  PlaceState: text,
  PlaceCountry: text,
});
type Found = z.infer<typeof found>;
const file = z.object({
  Hash: z.string().regex(/^\w+$/),
  Name: z.string(),
  Root: z.string(),
  Size: z.number(),
  Primary: z.boolean(),
  Sidecar: z.boolean(),
  Missing: z.boolean(),
  Video: z.boolean(),
});
type File = z.infer<typeof file>;
const details = z.object({ Details: z.object({ Keywords: text, Artist: text }).nullish(), Files: z.array(file) });
const configuration = z.object({ downloadToken: z.string() });

const pageSize = 500;

export const photoprism: RemoteCatalog = {
  headers: (key) => ({ Authorization: `Bearer ${key}` }),
  async *list(api) {
    const { downloadToken } = await ask(api, '/api/v1/config', configuration);
    for await (const each of photosOf(api)) {
      const more = await ask(api, `/api/v1/photos/${each.UID}`, details);
      const record = toRecord(each, more, downloadToken);
      if (record !== null) yield record;
    }
  },
};

/** Archived photos are not listed. Each photo is listed once, by its primary file. */
async function* photosOf(api: RemoteApi): AsyncIterable<Found> {
  for (let offset = 0; ; offset += pageSize) {
    const query = `?count=${pageSize}&offset=${offset}&primary=true&order=added`;
    const page = await ask(api, `/api/v1/photos${query}`, z.array(found));
    yield* page;
    if (page.length < pageSize) return;
  }
}

/** Returns null if the original is missing. */
function toRecord(each: Found, { Details, Files }: z.infer<typeof details>, token: string): RemoteRecord | null {
  const resource = each.Type === 'video' ? 'video' : 'image';
  const original = originalOf(Files, resource === 'video');
  if (original === undefined) return null;
  return {
    id: each.UID,
    resource,
    fileName: original.Name,
    filePath: `/api/v1/dl/${original.Hash}?t=${encodeURIComponent(token)}`,
    bytes: original.Size,
    fields: stated({
      title: each.Title,
      [resource === 'image' ? 'caption' : 'description']: each.Caption ?? each.Description,
      date: dayOf(each.TakenAtLocal),
      city: known(each.PlaceCity),
      location: known(each.PlaceState),
      country: countryOf(each.PlaceCountry),
      author: Details?.Artist,
      keywords: splitAtCommas(Details?.Keywords),
    }),
  };
}

/** The uploaded file; derived files are in another root. For a raw picture that has a JPEG, the JPEG. */
function originalOf(files: readonly File[], isVideo: boolean): File | undefined {
  const there = files.filter(({ Sidecar, Missing, Video }) => !Sidecar && !Missing && Video === isVideo);
  return (
    there.find(({ Root, Primary }) => Root === '/' && Primary) ?? there.find(({ Root }) => Root === '/') ?? there[0]
  );
}

function known(place: string | null | undefined): string | null {
  return place === 'Unknown' ? null : (place ?? null);
}

const countries = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** The name of a country by its code, such as `jp`; `zz` is an unknown country. */
function countryOf(code: string | null | undefined): string | null {
  if (!/^[a-z]{2}$/i.test(code ?? '') || code?.toLowerCase() === 'zz') return null;
  return countries.of(String(code).toUpperCase()) ?? null;
}
