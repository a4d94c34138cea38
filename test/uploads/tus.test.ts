import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Upload } from 'tus-js-client';
import type { UploadOptions } from 'tus-js-client';
import { describe, expect, it } from 'vitest';
import { full } from '../support/effort.ts';
import { withWorld } from '../support/shared-world.ts';
import { openWorld } from '../support/world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  client = await world.client({ tenant: 'ours', role: 'editor' });
});

const mebibyte = 2 ** 20;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const tus = { 'Tus-Resumable': '1.0.0' };

/** Uploads a file by the client that browsers use; what its last answer names. */
function uploadBy(by: Client, bytes: Buffer, options: Partial<UploadOptions> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let srcPath = '';
    const upload = new Upload(bytes, {
      endpoint: `${world.url}/uploads`,
      headers: { 'API-Key': by.key },
      metadata: { filename: 'niño.bin', filetype: 'image/jpeg' },
      retryDelays: null,
      onAfterResponse: (_request, response) => void (srcPath = decodeURI(response.getHeader('Src-Path') ?? srcPath)),
      onSuccess: () => resolve(srcPath),
      onError: reject,
      ...options,
    });
    upload.start();
  });
}

async function create(by: Client, length: number, metadata = 'filename YS5iaW4='): Promise<string> {
  const headers = { ...tus, 'Upload-Length': String(length), 'Upload-Metadata': metadata };
  const answer = await by.rest('POST', '/uploads', undefined, headers);
  expect(answer.status).toBe(201);
  return answer.headers.get('location') ?? '';
}

function patchHeaders(by: Client, offset: number) {
  return {
    ...tus,
    'API-Key': by.key,
    'Upload-Offset': String(offset),
    'Content-Type': 'application/offset+octet-stream',
  };
}

/** A request for the beginning of a file, whose body is still to be written. */
function beginToSend(by: Client, path: string) {
  return http.request(world.url + path, { method: 'PATCH', headers: patchHeaders(by, 0) });
}

function patch(by: Client, path: string, offset: number, bytes: Buffer) {
  return fetch(world.url + path, {
    method: 'PATCH',
    headers: patchHeaders(by, offset),
    body: new Uint8Array(bytes),
  });
}

const head = (by: Client, path: string) => by.rest('HEAD', path, undefined, tus);

describe('the protocol tus', () => {
  it('is spoken by its client: in one piece, in several, and with data in the first request', async () => {
    const bytes = randomBytes(3 * mebibyte);
    for (const options of [
      {},
      { chunkSize: mebibyte },
      { uploadDataDuringCreation: true },
      { overridePatchMethod: true },
    ]) {
      expect(await uploadBy(client, bytes, options)).toBe(`upload://${sha256(bytes)}/niño.bin`);
    }
  });

  it('is described by OPTIONS', async () => {
    const { status, headers } = await client.rest('OPTIONS', '/uploads');
    expect(status).toBe(204);
    expect(headers.get('tus-version')).toBe('1.0.0');
    expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,termination,expiration');
    expect(headers.get('tus-max-size')).toBe(String(4 * 2 ** 30));
  });

  it('has other methods for uploads that are begun than for what begins them', async () => {
    const begun = await create(client, 5);
    expect((await client.rest('OPTIONS', '/uploads')).headers.get('allow')).toBe('OPTIONS, POST');
    expect((await client.rest('OPTIONS', begun)).headers.get('allow')).toBe('HEAD, OPTIONS, PATCH, DELETE');
    for (const [method, path] of [
      ['PATCH', '/uploads'],
      ['HEAD', '/uploads'],
      ['POST', begun],
    ] as const) {
      expect(await client.rest(method, path, undefined, tus)).toMatchObject({ status: 405 });
    }
  });

  it('goes on where a broken connection left off, and the checksum is right', async () => {
    const bytes = randomBytes(20 * mebibyte);
    const path = await create(client, bytes.length);
    const sent = 11 * mebibyte;
    await new Promise<void>((resolve) => {
      const request = beginToSend(client, path);
      request.on('error', () => resolve());
      Readable.from([bytes.subarray(0, sent)]).pipe(request, { end: false });
      setTimeout(() => request.destroy(), 1_000);
    });
    await expect
      .poll(async () => Number((await head(client, path)).headers.get('upload-offset')), { timeout: 8_000 })
      .toBe(sent);
    const last = await patch(client, path, sent, bytes.subarray(sent));
    expect(last.status).toBe(204);
    expect(last.headers.get('src-path')).toBe(`upload://${sha256(bytes)}/a.bin`);
    const after = await head(client, path);
    expect(after.headers.get('upload-offset')).toBe(String(bytes.length));
    expect(after.headers.get('src-path')).toBe(`upload://${sha256(bytes)}/a.bin`);
  });

  it('says with every answer when an upload expires that is not complete', async () => {
    const path = await create(client, 10);
    const expires = async (answer: Promise<{ headers: Headers }>) => (await answer).headers.get('upload-expires');
    const { pool } = world.backing.database;
    await pool.query(`UPDATE upload SET expires_at = now() + interval '1 hour' WHERE id = $1`, [
      path.split('/').at(-1),
    ]);
    const early = new Date((await expires(head(client, path))) ?? '').getTime();
    const later = new Date((await expires(patch(client, path, 0, Buffer.from('12345')))) ?? '').getTime();
    expect([(early - Date.now()) / 3_600_000, (later - Date.now()) / 3_600_000].map(Math.round)).toEqual([1, 24]);
    expect(await expires(patch(client, path, 5, Buffer.from('67890')))).toBeNull();
    expect(await expires(head(client, path))).toBeNull();
  });

  it('ends an upload by POST for clients that cannot send DELETE', async () => {
    const path = await create(client, 10);
    const post = (named: string) => client.rest('POST', path, undefined, { ...tus, 'X-HTTP-Method-Override': named });
    expect((await post('PUT')).status).toBe(405);
    expect((await post('DELETE')).status).toBe(204);
    expect((await head(client, path)).status).toBe(404);
  });

  it('refuses other versions with those that it speaks', async () => {
    const path = await create(client, 10);
    for (const [method, target] of [
      ['POST', '/uploads'],
      ['PATCH', path],
      ['DELETE', path],
    ] as const) {
      const { status, headers, body } = await client.rest(method, target, undefined, { 'Tus-Resumable': '0.2.0' });
      expect([status, headers.get('tus-version'), body]).toEqual([
        412,
        '1.0.0',
        { detail: 'Tus-Resumable must be 1.0.0', code: 'invalid_argument' },
      ]);
    }
    expect((await client.rest('HEAD', path)).headers.get('tus-version')).toBe('1.0.0');
    expect((await head(client, path)).status).toBe(200);
  });

  it('says what is wrong with a request in status and code', async () => {
    const path = await create(client, 10);
    const piece = { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
    for (const [method, target, headers, status, code] of [
      ['PATCH', path, { ...piece, 'Content-Type': 'text/plain' }, 415, 'unsupported_media'],
      ['PATCH', path, { ...tus, 'Upload-Offset': '0' }, 415, 'unsupported_media'],
      ['PATCH', path, { ...tus, 'Content-Type': piece['Content-Type'] }, 400, 'invalid_argument'],
      ['PATCH', path, { ...piece, 'Upload-Offset': '-1' }, 400, 'invalid_argument'],
      ['POST', '/uploads', { ...tus, 'Upload-Length': '1', 'Upload-Metadata': 'a b c' }, 400, 'invalid_argument'],
      ['POST', '/uploads', { ...tus, 'Upload-Defer-Length': '1' }, 501, 'not_implemented'],
    ] as const) {
      const answer = await client.rest(method, target, undefined, headers);
      expect([headers, answer.status, answer.body.code]).toEqual([headers, status, code]);
    }
    expect((await head(client, path)).headers.get('upload-offset')).toBe('0');
  });

  it('refuses a piece that does not follow what is there', async () => {
    const path = await create(client, 10);
    expect((await patch(client, path, 0, Buffer.from('12345'))).status).toBe(204);
    expect((await patch(client, path, 0, Buffer.from('12345'))).status).toBe(409);
    expect((await patch(client, path, 5, Buffer.from('1234567'))).status).toBe(413);
    expect((await patch(client, path, 5, Buffer.from('67890'))).status).toBe(204);
  });

  it('gives an upload that stalls to another request, which goes on from there', full, async () => {
    const path = await create(client, 10);
    const stalled = beginToSend(client, path);
    const answered = new Promise<number>((resolve) => {
      stalled.once('response', ({ statusCode = 0 }) => resolve(statusCode)).once('error', () => resolve(0));
    });
    stalled.write('12345');
    await sleep(300);
    expect((await head(client, path)).headers.get('upload-offset')).toBe('5');
    stalled.write('too late');
    expect(await answered).toBe(204);
    expect((await patch(client, path, 5, Buffer.from('67890'))).headers.get('src-path')).toBe(
      `upload://${sha256(Buffer.from('1234567890'))}/a.bin`,
    );
    stalled.destroy();
  });

  it('does not show an upload to another tenant', async () => {
    const stranger = await world.client({ tenant: 'theirs', role: 'editor' });
    const path = await create(client, 10);
    const nobodys = '/uploads/00000000-0000-0000-0000-000000000000';
    for (const ask of [
      (at: string) => head(stranger, at),
      (at: string) => stranger.rest('DELETE', at, undefined, tus),
      async (at: string) => {
        const answer = await patch(stranger, at, 0, Buffer.from('x'));
        return { status: answer.status, body: await answer.text() };
      },
    ]) {
      const [theirs, none] = [await ask(path), await ask(nobodys)];
      expect(theirs.status).toBe(404);
      expect({ status: theirs.status, body: theirs.body }).toEqual({ status: none.status, body: none.body });
    }
  });

  it('ends an upload on request, but not a complete one', async () => {
    const path = await create(client, 10);
    await patch(client, path, 0, Buffer.from('12345'));
    expect((await client.rest('DELETE', path, undefined, tus)).status).toBe(204);
    expect((await head(client, path)).status).toBe(404);
    const whole = await create(client, 5);
    await patch(client, whole, 0, randomBytes(5));
    expect((await client.rest('DELETE', whole, undefined, tus)).status).toBe(400);
  });

  it('is for those who may upload, with the answers of the other paths', async () => {
    const viewer = await world.client({ tenant: 'ours', role: 'viewer' });
    const headers = { ...tus, 'Upload-Length': '10' };
    expect(await viewer.rest('POST', '/uploads', undefined, headers)).toMatchObject({
      status: 403,
      body: { code: 'forbidden', required_scope: 'uploads:write' },
    });
    const nobody = await fetch(`${world.url}/uploads`, { method: 'POST', headers });
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'APIKey']);
    expect(
      await client.rest('POST', '/uploads', undefined, { ...tus, 'Upload-Length': String(5 * 2 ** 30) }),
    ).toMatchObject({
      status: 413,
      body: { code: 'too_large', hint: expect.stringContaining('MEDIA_ROOTS') },
    });
    expect(await client.rest('POST', '/uploads', undefined, { ...tus, 'Upload-Length': '0' })).toMatchObject({
      status: 422,
    });
    expect(await client.rest('POST', '/uploads', undefined, tus)).toMatchObject({ status: 400 });
  });

  it('refuses a body in another coding, or damaged, as the other paths do', async () => {
    for (const [coding, status] of [
      ['br', 415],
      ['gzip', 400],
    ] as const) {
      const path = await create(client, 10);
      const headers = { ...patchHeaders(client, 0), 'Content-Encoding': coding };
      const answer = await fetch(new URL(path, world.url), { method: 'PATCH', headers, body: 'zz' });
      expect([coding, answer.status]).toEqual([coding, status]);
      expect(Object.keys(await answer.json())).toContain('detail');
    }
  });

  it('gives a page of another origin what its script has to know', async () => {
    const open = await openWorld({ http: { corsOrigins: ['https://pictures.example.com'] } });
    const by = await open.client({ role: 'editor' });
    const origin = { Origin: 'https://pictures.example.com' };
    const asked = await fetch(`${open.url}/uploads`, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'tus-resumable,upload-length',
      },
    });
    expect(asked.headers.get('access-control-allow-headers')).toContain('Upload-Length');
    const made = await by.rest('POST', '/uploads', undefined, { ...tus, ...origin, 'Upload-Length': '5' });
    expect(made.headers.get('access-control-allow-origin')).toBe('https://pictures.example.com');
    expect(made.headers.get('access-control-expose-headers')).toContain('Src-Path');
    await open.close();
  });
});
