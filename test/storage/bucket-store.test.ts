import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findStores } from '../../src/doctor/stores.ts';
import { readConfig } from '../../src/config/config.ts';
import { openPreviewStore } from '../../src/previews/index.ts';
import type { FileStore } from '../../src/storage/index.ts';

// s3rver speaks S3 and knows this one key; of newer signatures it does not check more.
const key = 'S3RVER';
let folder: string;
let endpoint: string;
let server: S3rver;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-bucket-'));
  const configureBuckets = [{ name: 'pictures', configs: [] }];
  server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder, configureBuckets });
  const { port } = await server.run();
  endpoint = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function configWith(own: Readonly<Record<string, string>> = {}) {
  return readConfig({
    PREVIEW_STORE: 's3://pictures/small/ones',
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: key,
    AWS_SECRET_ACCESS_KEY: key,
    ...own,
  });
}

function open(own: Readonly<Record<string, string>> = {}): FileStore {
  const store = openPreviewStore(configWith(own));
  if (store === null) throw new Error('there is no store');
  return store;
}

describe('previews in a bucket', () => {
  it('are read as they were written, and null where there is none', async () => {
    const store = open();
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    await store.write('1/ab/image-x-640.webp', bytes);
    expect(await open().read('1/ab/image-x-640.webp')).toEqual(bytes);
    expect(await store.read('2/ab/image-x-640.webp')).toBeNull();
    expect(await open({ PREVIEW_STORE: 's3://pictures' }).read('small/ones/1/ab/image-x-640.webp')).toEqual(bytes);
  });

  it('are read in part and removed', async () => {
    const store = open();
    await store.write('1/part', Buffer.from('0123456789'));
    expect(await store.read('1/part', { start: 2, end: 5 })).toEqual(Buffer.from('234'));
    await store.remove('1/part');
    await store.remove('1/part');
    expect(await store.read('1/part')).toBeNull();
  });

  it('replace each other', async () => {
    const store = open();
    await store.write('1/x.webp', Buffer.from('one'));
    await store.write('1/x.webp', Buffer.from('two'));
    expect(await store.read('1/x.webp')).toEqual(Buffer.from('two'));
  });

  it.each([
    ['with a key that nobody has', { AWS_ACCESS_KEY_ID: 'nobody' }, '403 InvalidAccessKeyId'],
    ['without their bucket', { PREVIEW_STORE: 's3://other' }, '404 NoSuchBucket'],
  ])('are a fault of the store %s, and not missing', async (_how, own, fault) => {
    await expect(open(own).read('1/x.webp')).rejects.toThrow(fault);
    await expect(open(own).write('1/x.webp', Buffer.from('x'))).rejects.toThrow(fault);
  });
});

describe('vitrine doctor', () => {
  it('writes and reads a file of the bucket', async () => {
    expect(await findStores(configWith({ UPLOAD_STORE: 's3://pictures/originals' }))).toEqual([
      { subject: 'previews', state: 'ok', text: `kept in ${endpoint}/pictures/small/ones/` },
      { subject: 'uploads', state: 'ok', text: `kept in ${endpoint}/pictures/originals/` },
    ]);
  });

  it('says why a bucket keeps nothing', async () => {
    const [finding] = await findStores(configWith({ PREVIEW_STORE: 's3://other' }));
    expect(finding).toMatchObject({ state: 'fault', text: expect.stringContaining('404 NoSuchBucket') });
  });
});

describe('the configuration of a bucket', () => {
  it.each([
    [{ PREVIEW_STORE: 's3://pictures' }, 'PREVIEW_STORE: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
    [{ PREVIEW_STORE: 'pictures' }, 'PREVIEW_STORE: must be s3://bucket or s3://bucket/folder'],
    [{ AWS_ENDPOINT_URL: 'ftp://x' }, 'AWS_ENDPOINT_URL: must be an http or https address'],
  ])('%j is refused', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it('without an address is that of AWS, by its region', () => {
    const { previews } = readConfig({
      PREVIEW_STORE: 's3://pictures/small',
      AWS_REGION: 'eu-west-3',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    });
    expect(previews).toMatchObject({ bucket: { url: 'https://pictures.s3.eu-west-3.amazonaws.com/small/' } });
  });
});
