import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let server: Server;
let src: string;
/** Requests for the picture that are not answered yet, while this is set. */
let hanging: ServerResponse[] | null = null;
let picture: Buffer;

beforeAll(async () => {
  picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  server = createServer((_request, response) => {
    if (hanging === null) response.setHeader('Content-Type', 'image/jpeg').end(picture);
    else hanging.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  src = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.jpg`;
  world = await openWorld({ sourceAllow: '127.0.0.0/8' });
  client = await world.client({ role: 'editor' });
  await client.write('POST', '/imgs', [{ id: 'a', src, title: 'A boat' }]);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
});

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs);
const query = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
  (await world.backing.database.pool.query<Row>(text, [...values])).rows;
const storedFiles = () => {
  const entries = readdirSync(world.media, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.parentPath.startsWith(join(world.media, 'exports')));
};

/** Moves everything about an export into the past. */
async function age(operationId: number, hours: number): Promise<void> {
  await query(
    `UPDATE export_file SET created_at = created_at - $2 * interval '1 hour',
       expires_at = expires_at - $2 * interval '1 hour' WHERE operation_id = $1`,
    [operationId, hours],
  );
}

/** The path of the file of a new export, and its operation. */
async function exportOf(request: object): Promise<{ id: number; path: string }> {
  const { operation_id: id } = await client.write('POST', '/exports/imgs', request);
  return { id, path: (await client.rest('GET', `/exports/${id}`)).body.url };
}

describe('the file of an export', () => {
  it('stays while the export runs, however long that takes, and a day from its end', async () => {
    hanging = [];
    const { body } = await client.rest('POST', '/exports/imgs', { ids: ['a'], format: 'zip' });
    const id = body.operation_id as number;
    await expect.poll(() => hanging?.length, { timeout: 20_000 }).toBe(1);
    await age(id, 25);
    await world.exports.removeExpired(inHours(1000));
    hanging[0]?.setHeader('Content-Type', 'image/jpeg').end(picture);
    hanging = null;
    await expect
      .poll(async () => (await client.rest('GET', `/ops/${id}`)).body, { timeout: 20_000 })
      .toMatchObject({ is_finished: true, num_good: 1 });
    const { body: file } = await client.rest('GET', `/exports/${id}`);
    expect(Date.parse(file.expires_at)).toBeGreaterThan(inHours(23.9).getTime());
    expect((await fetch(world.url + file.url)).status).toBe(200);
    expect(await world.exports.removeExpired(inHours(23))).toBe(0);
    expect(await world.exports.removeExpired(inHours(25))).toBe(1);
    expect(storedFiles()).toEqual([]);
  });

  it('stays while it is sent, also when its time ends meanwhile', async () => {
    const { id, path } = await exportOf({ ids: ['a'], format: 'ndjson' });
    await age(id, 23.99);
    const address = await world.exports.verify(path.split('/').at(-1) ?? '');
    const download = await world.exports.download(address ?? expect.fail(), {});
    expect(await world.exports.removeExpired(inHours(0.5))).toBe(0);
    const pieces: Uint8Array[] = [];
    for await (const piece of download?.bytes() ?? []) pieces.push(piece);
    await download?.close();
    expect(Buffer.concat(pieces).toString()).toContain('A boat');
    expect(await world.exports.removeExpired(inHours(2))).toBe(1);
  });
});
