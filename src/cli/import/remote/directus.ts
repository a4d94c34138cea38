import { z } from 'zod';
import { ask } from './api.ts';
import { stated } from './catalog.ts';
import type { RemoteCatalog, RemoteRecord } from './catalog.ts';

/** The parts of a file that are used, as returned by the API of Directus. */
const text = z.string().nullish();
const file = z.object({
  id: z.uuid(),
  type: text,
  filename_download: z.string(),
  // A number, although the API returns PostgreSQL's bigint as a string.
  filesize: z.coerce.number().nullish(),
  title: text,
  description: text,
  location: text,
  tags: z.array(z.string()).nullish(),
  folder: z.object({ name: text }).nullish(),
});
const page = z.object({ data: z.array(file) });
const fields = 'id,type,filename_download,filesize,title,description,location,tags,folder.name';

const pageSize = 100;

export const directus: RemoteCatalog = {
  headers: (key) => ({ Authorization: `Bearer ${key}` }),
  async *list(api) {
    for (let number = 1; ; number += 1) {
      const query = `?limit=${pageSize}&page=${number}&sort=id&fields=${fields}`;
      const { data } = await ask(api, `/files${query}`, page);
      for (const each of data) {
        const record = toRecord(each);
        if (record !== null) yield record;
      }
      if (data.length < pageSize) return;
    }
  },
};

/** Returns null for files that are neither pictures nor videos. */
function toRecord(each: z.infer<typeof file>): RemoteRecord | null {
  const { id, type, filename_download: fileName, filesize, title, description, location, tags, folder } = each;
  const [kind] = (type ?? '').split('/');
  if (kind !== 'image' && kind !== 'video') return null;
  return {
    id,
    resource: kind,
    fileName,
    filePath: `/assets/${id}?download`,
    bytes: filesize ?? null,
    fields: stated({
      title,
      [kind === 'image' ? 'caption' : 'description']: description,
      location,
      keywords: tags,
      collections: folder?.name ? [folder.name] : [],
    }),
  };
}
