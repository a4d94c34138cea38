import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  client = await world.client();
});
afterAll(() => world.close());

const query = (text: string, values: readonly unknown[] = []) => world.backing.database.pool.query(text, [...values]);
const embedding = `decode(repeat('7f010203', 8), 'hex')`;

async function addFrames(tenantId: number, video: string, count: number, modelId: number): Promise<void> {
  await query(
    `WITH added AS (
       INSERT INTO video (tenant_id, video_id, keywords, categories, collections, container, width, height, duration_secs,
                          lang, byte_size, checksum)
       VALUES ($1, $2::text, '{}', '{}', '{}', 'mp4', 10, 10, 1, 'en', 1, sha256($2::text::bytea)) RETURNING row_id)
     INSERT INTO video_frame (tenant_id, video_row_id, number, time_secs, embedding, model_id)
     SELECT $1, row_id, n, n, ${embedding}, $4 FROM added, generate_series(1, $3::int) AS n`,
    [tenantId, video, count, modelId],
  );
}

it('an image is compared with frames by the model of the frames that are compared, whichever is the common one by now', async () => {
  const tenantId = await tenantIdOf(world, client);
  const { rows } = await query(`INSERT INTO embedding_model (name) VALUES ('other'), ('own') RETURNING id`);
  const [other, own] = rows.map(({ id }) => id as number) as [number, number];
  await query(
    `WITH added AS (
       INSERT INTO image (tenant_id, image_id, keywords, categories, collections, width, height, lang, format, byte_size, checksum)
       VALUES ($1, 'x', '{}', '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256('x')) RETURNING row_id)
     INSERT INTO image_fingerprint (row_id, tenant_id, embedding, model_id) SELECT row_id, $1, ${embedding}, $2 FROM added`,
    [tenantId, own],
  );
  const found = async () => (await client.rest('GET', '/vids?q=i~x&fields=video_id')).body;
  await addFrames(tenantId, 'first', 4, own);
  expect(await found()).toMatchObject({ results: [{ video_id: 'first' }] });
  await addFrames(tenantId, 'second', 4, other);
  expect(await found()).toMatchObject({ results: [{ video_id: 'first' }] });
});
