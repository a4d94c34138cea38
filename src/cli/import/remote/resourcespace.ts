import { hash } from 'node:crypto';
import { z } from 'zod';
import { resourceOfFile } from '../../../catalog/index.ts';
import { SetupError } from '../../../lib/errors.ts';
import { ask } from './api.ts';
import type { RemoteApi } from './api.ts';
import { dayOf, splitAtCommas, stated } from './catalog.ts';
import type { RemoteCatalog, RemoteRecord } from './catalog.ts';

/**
 * The parts that are used of the answers of ResourceSpace's API, which may send numbers as strings, and empty strings
 * for missing values.
 */
const number = z.coerce.number();
const resource = z.object({ ref: number, file_extension: z.string().nullish() });
const resourcePage = z.array(resource);
const fieldList = z.array(z.object({ name: z.string(), value: z.unknown() }));
const collectionList = z.array(z.object({ ref: number, name: z.string() }));

const pageSize = 100;
/** Collections that every user has by default. */
const unnamed = /^(?:my|default) collection/i;

/** The fields of a standard ResourceSpace whose values serve as keywords. */
const keywordFields = ['keywords', 'subject', 'event', 'emotion', 'person', 'recognised', 'landmark'];

export const resourcespace: RemoteCatalog = {
  // Requests are signed instead.
  headers: () => ({}),
  async *list(api) {
    const collections = await collectionsOf(api);
    for await (const each of search(api, '')) {
      const record = await toRecord(api, each, collections);
      if (record !== null) yield record;
    }
  },
};

/** Calls a function of the API; the key, `user:key`, signs the query and is not sent. */
function call<T>(api: RemoteApi, name: string, parameters: Readonly<Record<string, string>>, schema: z.ZodType<T>) {
  const [, user, key] = /^([^\s]+):([^\s:]+)$/.exec(api.key) ?? [];
  if (user === undefined)
    throw new SetupError('The key of ResourceSpace is a user and the API key of that user: USER:KEY');
  const given = Object.entries({ user, function: name, ...parameters });
  const query = given.map(([parameter, value]) => `${parameter}=${encodeURIComponent(value)}`).join('&');
  const sign = hash('sha256', `${key}${query}`);
  return ask(api, `/api/?${query}&sign=${sign}`, schema);
}

async function* search(api: RemoteApi, text: string): AsyncIterable<z.infer<typeof resource>> {
  for (let offset = 0; ; offset += pageSize) {
    const page = { order_by: 'resourceid', sort: 'asc', archive: '0', fetchrows: String(pageSize) };
    const found = await call(api, 'do_search', { search: text, ...page, offset: String(offset) }, resourcePage);
    yield* found;
    if (found.length < pageSize) return;
  }
}

/** The names of the collections that contain each resource. */
async function collectionsOf(api: RemoteApi): Promise<ReadonlyMap<number, readonly string[]>> {
  const names = new Map<number, string[]>();
  for (const { ref, name } of await call(api, 'get_user_collections', {}, collectionList)) {
    if (unnamed.test(name)) continue;
    for await (const each of search(api, `!collection${ref}`)) {
      names.set(each.ref, [...(names.get(each.ref) ?? []), name]);
    }
  }
  return names;
}

/** Returns null for resources that are neither pictures nor videos. */
async function toRecord(
  api: RemoteApi,
  { ref, file_extension: extension }: z.infer<typeof resource>,
  collections: ReadonlyMap<number, readonly string[]>,
): Promise<RemoteRecord | null> {
  const fileName = `${ref}.${extension ?? ''}`;
  const kind = resourceOfFile(fileName);
  if (kind === null) return null;
  const values = new Map<string, string>();
  for (const { name, value } of await call(api, 'get_resource_field_data', { resource: String(ref) }, fieldList)) {
    if (typeof value === 'string') values.set(name, value.trim());
  }
  const own = { ref: String(ref), size: '', generate: 'false', extension: extension ?? '' };
  return {
    id: String(ref),
    resource: kind,
    fileName,
    filePath: async () => pathOf(api, await call(api, 'get_resource_path', own, z.string())),
    // A download may have metadata written into it, which changes its size.
    bytes: null,
    fields: stated({
      title: values.get('title'),
      [kind === 'image' ? 'caption' : 'description']: values.get('caption'),
      date: dayOf(values.get('date')),
      country: values.get('country'),
      provider: values.get('credit'),
      ...(kind === 'image' && { alt_text: values.get('accessibilityalttext') }),
      keywords: [...new Set(keywordFields.flatMap((name) => splitAtCommas(values.get(name))))],
      collections: collections.get(ref) ?? [],
    }),
  };
}

/**
 * The path of an original below the address of the catalog, because the catalog may use another host name for itself.
 */
function pathOf({ url }: RemoteApi, address: string): string {
  if (!URL.canParse(address)) throw new SetupError('the key may not download it');
  const { pathname, search: query } = new URL(address);
  const base = new URL(url).pathname.replace(/\/$/, '');
  return `${pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname}${query}`;
}
