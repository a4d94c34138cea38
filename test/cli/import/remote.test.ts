import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRemote, withFolder } from '../../../src/cli/import/remote/index.ts';
import type { RemoteName } from '../../../src/cli/import/remote/index.ts';
import { remoteNames } from '../../../src/cli/import/remote/names.ts';
import { SetupError } from '../../../src/lib/errors.ts';

const picture = Buffer.from('the bytes of a picture');

/** Answers as `open-api/immich-openapi-specs.json` of immich-app/immich describes them: AssetResponseDto, AlbumResponseDto, TagResponseDto. */
const immichAsset = (number: number, more: object = {}) => ({
  id: `3fe388e4-2078-44d7-b36c-39d9dee3a${String(number).padStart(3, '0')}`,
  type: 'IMAGE',
  ownerId: '8bb41a2f-9a4e-4c55-9e5c-5d3a0e8a6f11',
  originalPath: `/usr/src/app/upload/${number}.jpg`,
  originalFileName: `IMG_${number}.JPG`,
  originalMimeType: 'image/jpeg',
  thumbhash: null,
  fileCreatedAt: '2022-07-01T20:40:00.000Z',
  fileModifiedAt: '2022-07-01T20:40:00.000Z',
  localDateTime: '2022-07-01T22:40:00.000Z',
  isFavorite: false,
  isArchived: false,
  isTrashed: false,
  duration: '0:00:00.00000',
  exifInfo: {
    make: 'Canon',
    fileSizeInByte: picture.length,
    city: 'Nagasaki',
    state: 'Nagasaki Prefecture',
    country: 'Japan',
    description: `Number ${number}`,
  },
  people: [{ id: 'p', name: 'Ana', birthDate: null, isHidden: false }],
  checksum: 'c',
  ...more,
});
const immichAssets = [
  immichAsset(1),
  immichAsset(2, {
    type: 'VIDEO',
    originalFileName: 'clip.mov',
    exifInfo: { description: '', fileSizeInByte: null },
    people: [],
  }),
  immichAsset(3, { isTrashed: true }),
  immichAsset(4, { type: 'OTHER' }),
  immichAsset(5, { exifInfo: null, people: [] }),
];
const [first = ''] = immichAssets.map(({ id }) => id);

type Handler = (
  request: IncomingMessage,
  body: string,
) => Readonly<{ status?: number; json?: object | string; bytes?: Buffer }>;

const immichServer: Handler = ({ url, headers }, body) => {
  if (headers['x-api-key'] !== 'their key') return { status: 401, json: { message: 'Invalid API key' } };
  if (url === '/api/albums') return { json: [{ id: 'album', albumName: 'Trip', assetCount: 1 }] };
  if (url === '/api/tags') return { json: [{ id: 'tag', name: 'Japan', value: 'places/Japan' }] };
  if (url?.endsWith('/original')) return { bytes: picture };
  const { page, albumIds, tagIds } = JSON.parse(body) as { page: number; albumIds?: string[]; tagIds?: string[] };
  const all = albumIds || tagIds ? immichAssets.slice(0, 1) : immichAssets;
  // Two a page, whatever is asked for, as a server may.
  const items = all.slice((page - 1) * 2, page * 2);
  const nextPage = page * 2 < all.length ? String(page + 1) : null;
  return {
    json: {
      albums: { total: 0, count: 0, items: [], facets: [] },
      assets: { total: items.length, count: items.length, items, facets: [], nextPage },
    },
  };
};

/** Files as https://directus.io/docs/api/files describes them. */
const directusFile = (number: number, more: object = {}) => ({
  id: `8cbb43fe-4cdf-4991-8352-c461779${String(number).padStart(5, '0')}`,
  type: 'image/jpeg',
  filename_download: `file-${number}.jpg`,
  filesize: String(picture.length),
  title: `File ${number}`,
  description: null,
  location: null,
  tags: null,
  folder: null,
  ...more,
});
const directusFiles = [
  directusFile(1, { description: 'A harbor', location: 'Nagasaki', tags: ['boats', 'sea'], folder: { name: 'Asia' } }),
  directusFile(2, { type: 'video/mp4', filename_download: 'clip', description: 'Waves', filesize: null }),
  directusFile(3, { type: 'application/pdf' }),
  ...Array.from({ length: 100 }, (_, i) => directusFile(i + 4)),
];
const directusServer: Handler = ({ url = '', headers }) => {
  if (headers.authorization !== 'Bearer their key') return { status: 403, json: { errors: [] } };
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (pathname.startsWith('/assets/')) return { bytes: picture };
  const [page, limit] = ['page', 'limit'].map((name) => Number(searchParams.get(name))) as [number, number];
  return { json: { data: directusFiles.slice((page - 1) * limit, page * limit) } };
};

/** Photos and files as internal/entity/search/photos_results.go and internal/entity/file.go of photoprism/photoprism name their fields. */
const photo = (number: number, more: object = {}) => ({
  ID: `${number}-${number}`,
  UID: `ps6sg6be2lvl0y${String(number).padStart(2, '0')}`,
  Type: 'image',
  TakenAt: '2022-07-01T13:40:00Z',
  TakenAtLocal: '2022-07-01T22:40:00Z',
  TimeZone: 'Asia/Tokyo',
  Title: `Photo ${number}`,
  Caption: '',
  PlaceCity: 'Unknown',
  PlaceState: 'Unknown',
  PlaceCountry: 'zz',
  ...more,
});
const photos = [
  photo(1, { Caption: 'A harbor', PlaceCity: 'Nagasaki', PlaceState: 'Nagasaki Prefecture', PlaceCountry: 'jp' }),
  photo(2, { Type: 'video' }),
  photo(3),
];
const photoFile = (hash: string, more: object = {}) => ({
  Hash: hash,
  Name: `2022/07/${hash}.jpg`,
  Root: '/',
  Size: picture.length,
  Primary: true,
  Sidecar: false,
  Missing: false,
  Video: false,
  ...more,
});
const photoprismServer: Handler = ({ url = '', headers }) => {
  if (headers.authorization !== 'Bearer their key') return { status: 401, json: { error: 'Please log in' } };
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (pathname === '/api/v1/config') return { json: { name: 'PhotoPrism', downloadToken: '3v1a6h9u' } };
  if (pathname.startsWith('/api/v1/dl/'))
    return { status: searchParams.get('t') === '3v1a6h9u' ? 200 : 403, bytes: picture };
  if (pathname === '/api/v1/photos') return { json: photos };
  const Details = { Keywords: 'boats, sea', Artist: 'A. Ueno' };
  if (pathname.endsWith(photos[0]?.UID ?? '')) {
    return { json: { Details, Files: [photoFile('aa', { Primary: false, Sidecar: true }), photoFile('ab')] } };
  }
  const preview = photoFile('ba', { Root: 'sidecar', Sidecar: true });
  const clip = photoFile('bb', { Name: '2022/07/bb.mp4', Video: true, Primary: false });
  if (pathname.endsWith(photos[1]?.UID ?? '')) return { json: { Details: null, Files: [preview, clip] } };
  return { json: { Details, Files: [photoFile('ca', { Missing: true })] } };
};

/** Answers as https://www.resourcespace.com/knowledge-base/api and include/api_bindings.php of ResourceSpace have them, of its standard fields. */
const resource = (ref: number, more: object = {}) => ({
  score: '0',
  ref: String(ref),
  resource_type: '1',
  has_image: '1',
  creation_date: '2022-07-02 08:00:00',
  file_extension: 'jpg',
  preview_extension: 'jpg',
  archive: '0',
  access: '0',
  field8: `Resource ${ref}`,
  ...more,
});
const resources = [
  resource(1),
  resource(2, { resource_type: '3', file_extension: 'mp4' }),
  resource(3, { resource_type: '2', file_extension: 'pdf' }),
  ...Array.from({ length: 100 }, (_, k) => resource(k + 4)),
];
const resourceFields = (ref: string) =>
  Object.entries({
    title: `Resource ${ref}`,
    caption: ref === '1' ? 'A harbor' : '',
    country: ref === '1' ? 'Japan' : '',
    credit: ref === '1' ? 'Ueno Archive' : null,
    date: ref === '1' ? '2022-07-01 22:40' : '',
    keywords: ref === '1' ? 'boats, sea' : '',
    person: ref === '1' ? 'Ana' : '',
    camera: 'Canon',
  }).map(([name, value], k) => ({ resource: ref, ref: String(k), name, title: name, type: '0', value }));

const resourcespaceServer: Handler = ({ url = '', headers }) => {
  const { pathname, search, searchParams } = new URL(url, 'http://localhost');
  if (pathname.startsWith('/filestore/')) return { bytes: picture };
  const [, query = '', sign] = /^\?(.*)&sign=([0-9a-f]{64})$/.exec(search) ?? [];
  const isSigned = sign === createHash('sha256').update(`their-key${query}`).digest('hex');
  // What it says is no JSON.
  if (!isSigned || searchParams.get('user') !== 'ana@desk')
    return { status: 401, bytes: Buffer.from('Invalid signature') };
  const ref = searchParams.get('ref') ?? searchParams.get('resource') ?? '';
  switch (searchParams.get('function')) {
    case 'get_user_collections':
      return {
        json: [
          { ref: '7', name: 'Trip', count: '1' },
          { ref: '8', name: 'Default Collection', count: '3' },
        ],
      };
    case 'get_resource_field_data':
      return { json: resourceFields(ref) };
    case 'get_resource_path':
      return { json: `http://${headers.host}/filestore/${ref}_a8f5/${ref}.${searchParams.get('extension')}?v=2022` };
    default: {
      const [offset, rows] = ['offset', 'fetchrows'].map((name) => Number(searchParams.get(name))) as [number, number];
      const found = searchParams.get('search') === '!collection7' ? resources.slice(0, 1) : resources;
      return { json: found.slice(offset, offset + rows) };
    }
  }
};

const handlers: Readonly<Record<RemoteName, Handler>> = {
  immich: immichServer,
  photoprism: photoprismServer,
  directus: directusServer,
  resourcespace: resourcespaceServer,
};
const keys: Readonly<Record<RemoteName, string>> = {
  immich: 'their key',
  photoprism: 'their key',
  directus: 'their key',
  resourcespace: 'ana@desk:their-key',
};

/** The status of requests that get no answer. */
const never = 0;

let folder = '';
let server: Server;
let url = '';
let handler: Handler;
let asked: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remote '));
  asked = [];
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      asked.push(request.url ?? '');
      const { status = 200, json, bytes } = handler(request, Buffer.concat(parts).toString());
      if (status === never) return;
      response.statusCode = status;
      response.end(bytes ?? JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function importFrom(
  from: RemoteName,
  own: Handler = handlers[from],
  signal: AbortSignal = new AbortController().signal,
) {
  handler = own;
  if (!existsSync(join(folder, 'key'))) writeFileSync(join(folder, 'key'), `${keys[from]}\n`);
  const into = join(folder, 'originals');
  mkdirSync(into, { recursive: true });
  const source = await openRemote(url, { from, keyFile: join(folder, 'key'), signal }, { folder: into, root: folder });
  const all = async (entries: AsyncIterable<object>) => {
    const found = [];
    for await (const entry of entries) found.push(entry);
    return found as Readonly<{ place: string; record?: Readonly<Record<string, unknown>>; fault?: string }>[];
  };
  return { describe: () => all(source.described?.() ?? source.read()), read: () => all(source.read()) };
}

describe('a catalog of Immich', () => {
  it('brings pictures and videos with their texts, days, places, tags, people and albums', async () => {
    const { read } = await importFrom('immich');
    const records = (await read()).map(({ record }) => record);
    expect(records).toEqual([
      {
        id: first,
        src_path: `originals/${first}.jpg`,
        caption: 'Number 1',
        date: '2022-07-01',
        city: 'Nagasaki',
        location: 'Nagasaki Prefecture',
        country: 'Japan',
        keywords: ['Japan', 'Ana'],
        collections: ['Trip'],
      },
      { id: immichAssets[1]?.id, src_path: `originals/${immichAssets[1]?.id}.mov`, date: '2022-07-01' },
      { id: immichAssets[4]?.id, src_path: `originals/${immichAssets[4]?.id}.jpg`, date: '2022-07-01' },
    ]);
    expect(readFileSync(join(folder, 'originals', `${first}.jpg`))).toEqual(picture);
  });
});

describe('a catalog of PhotoPrism', () => {
  it('brings originals with their titles, captions, days, places, artists and keywords', async () => {
    const { read } = await importFrom('photoprism');
    const records = (await read()).map(({ record }) => record);
    const [one, two] = photos.map(({ UID }) => UID);
    expect(records).toEqual([
      {
        id: one,
        src_path: `originals/${one}.jpg`,
        title: 'Photo 1',
        caption: 'A harbor',
        date: '2022-07-01',
        city: 'Nagasaki',
        location: 'Nagasaki Prefecture',
        country: 'Japan',
        author: 'A. Ueno',
        keywords: ['boats', 'sea'],
      },
      { id: two, src_path: `originals/${two}.mp4`, title: 'Photo 2', date: '2022-07-01' },
    ]);
    expect(asked).toContain('/api/v1/dl/ab?t=3v1a6h9u');
  });
});

describe('a catalog of Directus', () => {
  it('brings pictures and videos of all pages with their titles, descriptions, tags and folders', async () => {
    const { read } = await importFrom('directus');
    const records = (await read()).map(({ record }) => record);
    const [one, two] = directusFiles.map(({ id }) => id);
    expect(records).toHaveLength(102);
    expect(records.slice(0, 2)).toEqual([
      {
        id: one,
        src_path: `originals/${one}.jpg`,
        title: 'File 1',
        caption: 'A harbor',
        location: 'Nagasaki',
        keywords: ['boats', 'sea'],
        collections: ['Asia'],
      },
      { id: two, src_path: `originals/${two}.mp4`, title: 'File 2', description: 'Waves' },
    ]);
  });
});

describe('a catalog of ResourceSpace', () => {
  it('brings pictures and videos of all pages with their standard fields and collections, by signed requests', async () => {
    const { read } = await importFrom('resourcespace');
    const records = (await read()).map(({ record }) => record);
    expect(records).toHaveLength(102);
    expect(records.slice(0, 2)).toEqual([
      {
        id: '1',
        src_path: 'originals/1.jpg',
        title: 'Resource 1',
        caption: 'A harbor',
        date: '2022-07-01',
        country: 'Japan',
        provider: 'Ueno Archive',
        keywords: ['boats', 'sea', 'Ana'],
        collections: ['Trip'],
      },
      { id: '2', src_path: 'originals/2.mp4', title: 'Resource 2' },
    ]);
    expect(asked).toContain('/filestore/1_a8f5/1.jpg?v=2022');
    expect(asked.join()).not.toContain('their-key');
  });

  it('needs a user beside the key', async () => {
    writeFileSync(join(folder, 'key'), 'their-key');
    await expect((await importFrom('resourcespace')).read()).rejects.toThrow('USER:KEY');
  });
});

describe.each(remoteNames)('another catalog, of %s,', (from) => {
  const isFile = (path = '') => /\/original$|^\/assets\/|\/dl\/|^\/filestore\//.test(path);

  it('is previewed without its files, and files that are there are not fetched again', async () => {
    const { describe: look, read } = await importFrom(from);
    const described = await look();
    expect(asked.filter(isFile)).toEqual([]);
    expect(existsSync(join(folder, 'originals', `${first}.jpg`))).toBe(false);
    expect(await read()).toEqual(described);
    const fetched = asked.filter(isFile).length;
    expect(fetched).toBe(described.length);
    await read();
    expect(asked.filter(isFile).length).toBe(fetched);
  });

  it('that refuses the key is named, with what to do', async () => {
    writeFileSync(join(folder, 'key'), 'another:key');
    const { read } = await importFrom(from);
    await expect(read()).rejects.toThrow(/answered 40[13]\. Check the key in --key-file/);
  });

  it('is not asked if the file of its key is missing, empty or something else', async () => {
    const keyFile = join(folder, 'key');
    for (const [text, fault] of [
      ['', 'it is empty'],
      ['one\ntwo', 'a key is one line of ASCII characters'],
    ] as const) {
      writeFileSync(keyFile, text);
      await expect(importFrom(from)).rejects.toThrow(new SetupError(`${keyFile} contains no key: ${fault}.`));
    }
    rmSync(keyFile);
    const options = { from, keyFile, signal: new AbortController().signal };
    await expect(openRemote(url, options, { folder, root: folder })).rejects.toThrow(
      new SetupError(`The key in ${keyFile} cannot be read: there is no such file or folder.`),
    );
    expect(asked).toEqual([]);
  });

  it('that answers something else is named', async () => {
    await expect((await importFrom(from, () => ({ json: { hello: 1 } }))).read()).rejects.toThrow(
      'did not answer as its documentation says',
    );
    await expect((await importFrom(from, () => ({ bytes: Buffer.from('<html>') }))).read()).rejects.toThrow(
      'did not answer in JSON',
    );
  });

  it('is read no further after an interruption, not even a file that never comes', async () => {
    const interrupt = new AbortController();
    const { read } = await importFrom(
      from,
      (request, body) => (isFile(request.url) ? { status: never } : handlers[from](request, body)),
      interrupt.signal,
    );
    const reading = read();
    await expect.poll(() => asked.filter(isFile)).toHaveLength(1);
    interrupt.abort();
    expect(await reading).toEqual([]);
    expect(readdirSync(join(folder, 'originals'))).toEqual([]);
  });

  it('loses only the records whose originals are gone', async () => {
    const { read } = await importFrom(from, (request, body) =>
      isFile(request.url) && asked.filter(isFile).length === 1
        ? { status: 404, json: {} }
        : handlers[from](request, body),
    );
    const found = await read();
    expect(found[0]?.fault).toMatch(/^its original cannot be read: [^?]* answered 404$/);
    expect(found.filter(({ fault }) => fault !== undefined)).toHaveLength(1);
  });

  it('gets its key sent to no other address', async () => {
    handler = handlers[from];
    const elsewhere: string[] = [];
    const other = createServer((request, response) => {
      elsewhere.push(JSON.stringify(request.headers));
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    server.removeAllListeners('request');
    server.on('request', (_request, response: ServerResponse) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${port}/` }).end();
    });
    await expect((await importFrom(from)).read()).rejects.toThrow('does not answer');
    expect(elsewhere).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });
});

it.skipIf(process.platform !== 'linux')(
  'an import is refused at once where nobody can make a folder for originals',
  async () => {
    await expect(withFolder('/proc/none', () => Promise.resolve())).rejects.toThrow('ENOENT');
  },
);

it('an import leaves a new folder for originals only if something came into it', async () => {
  const into = join(folder, 'new', 'originals');
  const failed = withFolder(into, () => Promise.reject(new Error('refused')));
  await expect(failed).rejects.toThrow('refused');
  expect(existsSync(join(folder, 'new'))).toBe(false);
  await withFolder(into, async (own) => writeFileSync(join(own, 'a.jpg'), ''));
  await withFolder(folder, async () => rmSync(join(into, 'a.jpg')));
  expect(existsSync(into)).toBe(true);
});
