import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client({ tenant: 'ours', role: 'editor' });
  stranger = await world.client({ tenant: 'theirs', role: 'editor' });
});
afterAll(() => world.close());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A picture that no other test has. */
async function newPicture(): Promise<Buffer> {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  return sharp({ create: { width: 64, height: 48, channels: 3, background: { r, g, b } } })
    .jpeg()
    .toBuffer();
}

/** Sends a body that is the file itself. */
async function send(by: Client, bytes: Buffer, name = 'boats.jpg', headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.url}/uploads?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'API-Key': by.key, 'Content-Type': 'image/jpeg', ...headers },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: await answer.json() };
}

async function sendForm(by: Client, fields: Record<string, string | Blob | File>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await fetch(`${world.url}/uploads`, { method: 'POST', headers: { 'API-Key': by.key }, body: form });
  return { status: answer.status, body: await answer.json() };
}

describe('an uploaded file', () => {
  it('is the source of a record, which is read, previewed and found by the name of the file', async () => {
    const bytes = await newPicture();
    const { status, body } = await send(client, bytes, 'harbor at night.jpg');
    expect(status).toBe(201);
    expect(body).toEqual({
      src_path: `upload://${sha256(bytes)}/harbor at night.jpg`,
      name: 'harbor at night.jpg',
      byte_size: bytes.length,
      checksum: sha256(bytes),
      media_type: 'image/jpeg',
      expires_at: expect.any(String),
    });
    const operation = await client.write('POST', '/imgs/harbor', { src_path: body.src_path });
    expect(operation).toMatchObject({ num_good: 1 });
    const found = await client.rest('GET', '/imgs?q=file:harbor&fields=image_id&fields=width&fields=preview_url');
    expect(found.body.results).toMatchObject([{ image_id: 'harbor', width: 64 }]);
    const preview = await fetch(world.url + found.body.results[0].preview_url);
    expect(preview.status).toBe(200);
    expect((await sharp(Buffer.from(await preview.arrayBuffer())).metadata()).width).toBe(64);
  });

  it('comes as a form or by GraphQL as well, and is the same file each time', async () => {
    const bytes = await newPicture();
    const file = new File([new Uint8Array(bytes)], 'niño.jpg', { type: 'image/jpeg' });
    const byForm = await sendForm(client, { comment: 'first', file });
    expect(byForm).toMatchObject({ status: 201, body: { name: 'niño.jpg', checksum: sha256(bytes) } });
    const form = new FormData();
    const query = 'mutation ($file: Upload!) { uploadSource(file: $file) { srcPath byteSize name } }';
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', JSON.stringify({ 0: ['variables.file'] }));
    form.set('0', file);
    const answer = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { 'API-Key': client.key },
      body: form,
    });
    expect(await answer.json()).toEqual({
      data: { uploadSource: { srcPath: byForm.body.src_path, byteSize: bytes.length, name: 'niño.jpg' } },
    });
    const { rows } = await world.backing.database.pool.query(
      `SELECT count(*)::int AS kept FROM upload WHERE state = 'kept' AND checksum = decode($1, 'hex')`,
      [sha256(bytes)],
    );
    expect(rows).toEqual([{ kept: 1 }]);
  });

  it.each([
    ['image/png', 'image/png'],
    ['application/octet-stream', 'image/jpeg'],
    ['', 'image/jpeg'],
  ])('has the media type that its part of a form declares, or what the content shows: %s', async (declared, type) => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n`;
    const start = Buffer.from(`${head}${declared && `Content-Type: ${declared}\r\n`}\r\n`);
    const answer = await fetch(`${world.url}/uploads`, {
      method: 'POST',
      headers: { 'API-Key': client.key, 'Content-Type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(Buffer.concat([start, await newPicture(), Buffer.from('\r\n--b--\r\n')])),
    });
    expect(await answer.json()).toMatchObject({ media_type: type });
  });

  it('without a known type has that of its content, whatever it is', async () => {
    const typeOf = async (bytes: Buffer, declared = 'application/octet-stream') => {
      const { body } = await send(client, bytes, 'a', { 'Content-Type': declared });
      return body.media_type;
    };
    expect(await typeOf(readFileSync('examples/videos/nagasaki-pan.mp4'))).toBe('video/mp4');
    expect(await typeOf(await newPicture(), 'application/x-www-form-urlencoded')).toBe('image/jpeg');
    expect(await typeOf(Buffer.from('no picture'))).toBe('application/octet-stream');
    expect(await typeOf(Buffer.from('ab'))).toBe('application/octet-stream');
  });

  it('is stored in parts when it is large, and a video in it is read at random', async () => {
    const clip = readFileSync('examples/videos/nagasaki-pan.mp4');
    const padded = Buffer.concat([clip, freeBox(20 * 2 ** 20)]);
    const { body } = await send(client, padded, 'pan.mp4');
    expect(body.checksum).toBe(sha256(padded));
    const operation = await client.write('POST', '/vids', [{ id: 'pan', src_path: body.src_path }]);
    expect(operation).toMatchObject({ num_good: 1 });
    const shown = await client.graphql('{ video(id: "pan") { file { url } preview(width: 320) { url } } }');
    const { file, preview } = shown.data.video;
    const part = await fetch(world.url + file.url, { headers: { Range: 'bytes=8388600-8388699' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(padded.subarray(8_388_600, 8_388_700))).toBe(true);
    expect((await fetch(world.url + preview.url)).status).toBe(200);
    const { rows } = await world.backing.database.pool.query<{ id: string; parts: number[]; tenantId: number }>(
      `SELECT id, parts, tenant_id AS "tenantId" FROM upload WHERE checksum = decode($1, 'hex')`,
      [sha256(padded)],
    );
    const [{ id, parts, tenantId } = { id: '', parts: [], tenantId: 0 }] = rows;
    expect(parts.length).toBeGreaterThanOrEqual(5);
    expect(parts.every((size) => size <= 4 * 2 ** 20 + 64 * 1024)).toBe(true);
    expect(existsSync(join(world.media, 'uploads', String(tenantId), id.slice(0, 2), `${id}-${parts[0]}`))).toBe(true);
  });

  it('of another tenant is refused as one that does not exist', async () => {
    const { body } = await send(client, await newPicture());
    const theirs = await stranger.write('POST', '/imgs', [
      { id: 'theirs', src_path: body.src_path },
      { id: 'nobodys', src_path: `upload://${'0'.repeat(64)}/boats.jpg` },
      { id: 'wrong', src_path: 'upload://boats.jpg' },
    ]);
    const messages = theirs.errors.map(({ code, msg }: { code: string; msg: string }) => [
      code,
      msg.replace(/ \(id .*/, ''),
    ]);
    expect(messages).toEqual(Array(3).fill(messages[0]));
    expect(messages[0]).toEqual([
      'source_unreachable',
      'source_unreachable: src_path cannot be read: no such upload, or it has expired; upload the file again',
    ]);
  });

  it('of which a part is missing in the request is not kept', async () => {
    const status = await new Promise<number>((resolve) => {
      const request = http.request(`${world.url}/uploads?name=half.jpg`, {
        method: 'POST',
        headers: { 'API-Key': client.key, 'Content-Length': '1000' },
      });
      request.on('error', () => resolve(0)).on('response', ({ statusCode = 0 }) => resolve(statusCode));
      request.write(Buffer.alloc(500));
      setTimeout(() => request.destroy(), 200);
    });
    expect(status).toBe(0);
    await expect
      .poll(async () => {
        const { rows } = await world.backing.database.pool.query(
          `SELECT count(*)::int AS receiving FROM upload WHERE name = 'half.jpg' AND state = 'receiving'`,
        );
        return rows;
      })
      .toEqual([{ receiving: 0 }]);
  });

  it('needs the right to upload, which is checked before its bytes are read', async () => {
    const viewer = await world.client({ tenant: 'ours', role: 'viewer' });
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { 'API-Key': viewer.key, 'Content-Length': String(2 ** 30), 'Content-Type': 'image/jpeg' };
      const request = http.request(`${world.url}/uploads`, { method: 'POST', headers }, (response) => {
        let text = '';
        response
          .on('data', (part) => (text += String(part)))
          .on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.on('error', reject).flushHeaders();
    });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'forbidden', required_scope: 'uploads:write' });
  });

  it.each([
    ['nothing', () => send(client, Buffer.alloc(0)), 422, 'Field required'],
    ['an empty file', () => sendForm(client, { file: new File([], 'none.jpg') }), 422, 'The file is empty'],
    ['a form without it', () => sendForm(client, { other: 'x' }), 422, 'Field required'],
    ['a name with control characters', () => send(client, Buffer.from('x'), 'a\u0007b'), 422, 'control characters'],
    ['a long name', () => send(client, Buffer.from('x'), 'n'.repeat(256)), 422, 'at most 255 characters'],
  ])('of %s is refused', async (_what, ask, status, message) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  it.each([
    ['br', Buffer.from('[]'), 415],
    ['gzip', Buffer.from('zz'), 400],
    ['gzip, gzip', Buffer.from('[]'), 415],
  ])('in the coding %s that does not fit is refused, and the service goes on', async (coding, bytes, status) => {
    expect((await send(client, bytes, 'a.jpg', { 'Content-Encoding': coding })).status).toBe(status);
  });

  it('that its client leaves at once, as a file or by GraphQL, ends nothing else', async () => {
    const { hostname, port } = new URL(world.url);
    const form = ['operations', 'map', '0'].map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"`);
    const query = 'mutation ($f: Upload!) { uploadSource(file: $f) { srcPath } }';
    const multipart = [
      `${form[0]}\r\n\r\n${JSON.stringify({ query, variables: { f: null } })}`,
      `${form[1]}\r\n\r\n{"0":["variables.f"]}`,
      `${form[2]}; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nabc`,
    ].join('\r\n');
    const requests = [
      ['/uploads', 'image/jpeg', 'abc'],
      ['/graphql', 'multipart/form-data; boundary=b', multipart],
    ] as const;
    for (let n = 0; n < 60; n += 1) {
      const [path, type, text] = requests[n % 2] ?? requests[0];
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAPI-Key: ${client.key}\r\nContent-Type: ${type}\r\nContent-Length: 9000\r\n\r\n${text}`,
      );
      await sleep(n % 10);
      socket.resetAndDestroy();
    }
    expect((await send(client, await newPicture())).status).toBe(201);
  });

  it('that is too large is refused by its announced length, with the limit', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { 'API-Key': client.key, 'Content-Length': String(5 * 2 ** 30), 'Content-Type': 'video/mp4' };
      const request = http.request(`${world.url}/uploads`, { method: 'POST', headers }, (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (part) => (text += String(part))).on('end', () => resolve(text));
      });
      request.on('error', reject).flushHeaders();
    });
    expect(answer).toMatch(/^413 .*larger than 4 GiB.*hint.*MEDIA_ROOTS/);
  });

  it('beyond what the tenant may have unused is refused until records use the others', async () => {
    const { pool } = world.backing.database;
    const own = await world.client({ tenant: 'full', role: 'editor' });
    await pool.query(
      `INSERT INTO upload (id, tenant_id, media_type, length, expires_at)
       SELECT gen_random_uuid(), id, 'x/y', 64::bigint * 1024 * 1024 * 1024, now() + interval '1 day' FROM tenant WHERE name = 'full'`,
    );
    const answer = await send(own, await newPicture());
    expect(answer.status).toBe(507);
    expect(answer.body).toMatchObject({ code: 'quota_exceeded', hint: expect.stringContaining('24 hours') });
    await pool.query(`UPDATE upload SET used_at = now() WHERE tenant_id = (SELECT id FROM tenant WHERE name = 'full')`);
    expect((await send(own, await newPicture())).status).toBe(201);
  });

  it('counts toward the limit until a record names it: not a dry run, nor a write that fails', async () => {
    const own = await world.client({ tenant: 'counted' });
    const unused = async () => {
      const { rows } = await world.backing.database.pool.query<{ count: number }>(
        `SELECT count(*)::int FROM upload u JOIN tenant t ON t.id = u.tenant_id WHERE t.name = 'counted' AND used_at IS NULL`,
      );
      return rows[0]?.count;
    };
    const paths = await Promise.all([1, 2].map(async () => (await send(own, await newPicture())).body.src_path));
    const [src_path, other] = paths;
    await own.write('POST', '/imgs/tried?dry_run=true', { src_path });
    expect(await unused()).toBe(2);
    await own.write('POST', '/imgs/stored', { src_path });
    expect(await unused()).toBe(1);
    expect(await own.write('POST', '/imgs/stored', { src_path: other })).toMatchObject({ num_bad: 1 });
    expect(await unused()).toBe(1);
    await own.write('PATCH', '/imgs/stored', { src_path: other });
    expect(await unused()).toBe(0);
  });

  it('is counted in the metrics', async () => {
    const { text } = await metrics();
    expect(text).toMatch(/^vitrine_uploads_total\{outcome="kept"\} [1-9]/m);
    expect(text).toMatch(/^vitrine_upload_bytes_total [1-9]\d{6}/m);
  });
});

async function metrics(): Promise<{ text: string }> {
  const admin = await world.client({ tenant: 'default', role: 'admin' });
  const answer = await fetch(`${world.url}/metrics`, { headers: { 'API-Key': admin.key } });
  return { text: await answer.text() };
}

/** A box that players pass over. */
function freeBox(bytes: number): Buffer {
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes, 0);
  box.write('free', 4, 'latin1');
  return box;
}
