import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/operations/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client({ tenant: 'ours' });
});
afterAll(() => world.close());

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs);

async function upload(by = client): Promise<string> {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  const bytes = await sharp({ create: { width: 30, height: 20, channels: 3, background: { r, g, b } } })
    .png()
    .toBuffer();
  const headers = { 'API-Key': by.key, 'Content-Type': 'image/png' };
  const answer = await fetch(`${world.url}/uploads?name=a.png`, {
    method: 'POST',
    headers,
    body: new Uint8Array(bytes),
  });
  return ((await answer.json()) as { src_path: string }).src_path;
}

/** Whether a new record can be made of it. */
async function isThere(srcPath: string): Promise<boolean> {
  const id = `try-${randomBytes(6).toString('hex')}`;
  const operation = await client.write('POST', `/imgs/${id}`, { src_path: srcPath });
  await client.write('DELETE', `/imgs/${id}`);
  await client.graphql('mutation ($ids: [ID!]!) { purgeImages(ids: $ids, wait: true) { __typename } }', { ids: [id] });
  return operation.num_good === 1;
}

/** Names of files in the store. */
function stored(): string[] {
  const folder = join(world.media, 'uploads');
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('an uploaded file', () => {
  it('that nothing names is removed after a day, with its bytes', async () => {
    const before = stored().length;
    const path = await upload();
    expect(stored().length).toBe(before + 1);
    expect(await world.uploads.removeExpired(inHours(23))).toBe(0);
    expect(await world.uploads.removeExpired(inHours(25))).toBe(1);
    expect(stored().length).toBe(before);
    expect(await isThere(path)).toBe(false);
  });

  it('that did not arrive as a whole is removed after a day', async () => {
    const headers = { 'API-Key': client.key, 'Tus-Resumable': '1.0.0', 'Upload-Length': '10' };
    const made = await fetch(`${world.url}/uploads`, { method: 'POST', headers });
    const location = made.headers.get('location') ?? '';
    await fetch(world.url + location, {
      method: 'PATCH',
      headers: { ...headers, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: 'half',
    });
    expect(await world.uploads.removeExpired(inHours(25))).toBe(1);
    expect((await fetch(world.url + location, { method: 'HEAD', headers })).status).toBe(404);
  });

  it('stays for as long as an image or a video names it', async () => {
    const path = await upload();
    await client.write('POST', '/imgs/used', { src_path: path });
    await world.uploads.removeExpired(inHours(1000));
    expect(await isThere(path)).toBe(true);
  });

  it('of a deleted record stays for as long as the history may bring it back', async () => {
    const path = await upload();
    await client.write('POST', '/imgs/gone', { src_path: path });
    const { operation_id: id } = await client.write('DELETE', '/imgs/gone');
    await world.uploads.removeExpired(inHours(1000));
    await client.write('POST', `/ops/${id}/undo`);
    expect((await client.rest('GET', '/imgs/gone?fields=src_path&fields=preview_url')).body).toMatchObject({
      src_path: path,
    });
    expect(await isThere(path)).toBe(true);
  });

  it('that a record named before stays with its history, and goes when that is forgotten', async () => {
    const [first, second] = [await upload(), await upload()];
    await client.write('POST', '/imgs/changed', { src_path: first });
    const { operation_id: id } = await client.write('PATCH', '/imgs/changed', { src_path: second });
    await world.uploads.removeExpired(inHours(1000));
    await client.write('POST', `/ops/${id}/undo`);
    expect((await client.rest('GET', '/imgs/changed?fields=src_path')).body.src_path).toBe(first);
    await world.backing.database.pool.query(`UPDATE image_change SET at = at - interval '100 days'`);
    await removeExpired(world.backing.database);
    expect(await world.uploads.removeExpired(inHours(1000))).toBeGreaterThan(0);
    expect(await isThere(second)).toBe(false);
    expect(await isThere(first)).toBe(true);
  });

  it('goes with a record that is purged', async () => {
    const path = await upload();
    await client.write('POST', '/imgs/secret', { src_path: path });
    await client.graphql('mutation { purgeImages(ids: ["secret"], wait: true) { __typename } }');
    expect(await world.uploads.removeExpired(inHours(25))).toBeGreaterThan(0);
    expect(await isThere(path)).toBe(false);
  });

  it('that a waiting write names is not removed, however long that waits', async () => {
    const still = await openWorld({ worker: false });
    const by = await still.client({ role: 'editor' });
    const headers = { 'API-Key': by.key, 'Content-Type': 'image/png' };
    const body = new Uint8Array(
      await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    const sent = await fetch(`${still.url}/uploads`, { method: 'POST', headers, body });
    const { src_path: path } = (await sent.json()) as { src_path: string };
    const { body: accepted } = await by.rest('POST', '/imgs/late', { src_path: path });
    expect(await still.uploads.removeExpired(inHours(1000))).toBe(0);
    still.startWorker();
    await expect
      .poll(async () => (await by.rest('GET', `/ops/${accepted.operation_id}`)).body.num_good, { timeout: 20_000 })
      .toBe(1);
    await still.close();
  });

  it('that is removed at the moment of a write is either there for it or does not exist', full, async () => {
    for (let times = 0; times < 10; times += 1) {
      const path = await upload();
      await world.backing.database.pool.query(`UPDATE upload SET expires_at = now() WHERE used_at IS NULL`);
      const [operation] = await Promise.all([
        client.write('POST', `/imgs/race-${times}`, { src_path: path }),
        world.uploads.removeExpired(),
      ]);
      if (operation.num_good === 1) expect(await isThere(path)).toBe(true);
      else expect(operation.errors[0].code).toBe('source_unreachable');
    }
  });

  it('that comes again before it is removed stays a day more, and is stored once', async () => {
    const bytes = Buffer.from('the same bytes');
    const send = () =>
      fetch(`${world.url}/uploads`, { method: 'POST', headers: { 'API-Key': client.key }, body: bytes });
    await send();
    const before = stored().length;
    await world.backing.database.pool.query(
      `UPDATE upload SET expires_at = now() + interval '1 minute' WHERE used_at IS NULL`,
    );
    await send();
    expect(stored().length).toBe(before);
    await world.uploads.removeExpired(inHours(1));
    expect(stored().length).toBe(before);
  });
});
