import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let folder: string;
let server: S3rver;
let world: World;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-bucket-'));
  const configureBuckets = [{ name: 'originals', configs: [] }];
  server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder, configureBuckets });
  const { port } = await server.run();
  world = await openWorld({
    environment: {
      UPLOAD_STORE: 's3://originals/vitrine',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
  });
  client = await world.client({ role: 'editor' });
});
afterAll(async () => {
  await world.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function send(bytes: Buffer, name: string) {
  const headers = { 'API-Key': client.key };
  const answer = await fetch(`${world.url}/uploads?name=${name}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as { src_path: string; code: string } };
}

describe('uploaded files in a bucket', () => {
  it('are sources of images and videos, and go when nothing names them', async () => {
    const picture = await sharp({ create: { width: 50, height: 40, channels: 3, background: 'navy' } })
      .jpeg()
      .toBuffer();
    const { body } = await send(picture, 'navy.jpg');
    expect(await client.write('POST', '/imgs/navy', { src_path: body.src_path })).toMatchObject({ num_good: 1 });
    const large = randomBytes(18 * 2 ** 20);
    const kept = await send(large, 'large.bin');
    expect(kept.body.src_path).toContain(createHash('sha256').update(large).digest('hex'));
    const file = await world.uploads.open(await tenantId(), kept.body.src_path);
    const [start, end] = [8 * 2 ** 20 - 10, 8 * 2 ** 20 + 80_000];
    expect((await file?.read(start, end))?.equals(large.subarray(start, end))).toBe(true);
    const dayLater = new Date(Date.now() + 25 * 3_600_000);
    expect(await world.uploads.removeExpired(dayLater)).toBe(1);
    expect(await world.uploads.open(await tenantId(), kept.body.src_path)).toBeNull();
    expect(await world.uploads.open(await tenantId(), body.src_path)).not.toBeNull();
  });
});

async function tenantId(): Promise<number> {
  const { rows } = await world.backing.database.pool.query<{ id: number }>(
    'SELECT tenant_id AS id FROM upload LIMIT 1',
  );
  return rows[0]?.id ?? 0;
}
