import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFormerVectors } from '../../src/doctor/vectors.ts';
import { readVectorProgress, switchModels } from '../../src/similarity/index.ts';
import type { CurrentModel } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { noPgvector, pgvectorNote } from '../support/pgvector.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { addEmbedded, buildAll, numbersFrom, vectorNear } from './embedded.ts';

let world: World;
beforeAll(async () => {
  if (noPgvector === false) world = await openWorld({ worker: false });
});
afterAll(async () => {
  if (noPgvector === false) await world.close();
});

/** A tenant with three images whose model in use has an index. */
async function begin(): Promise<number> {
  const { database } = world.backing;
  const { pool, tenantId } = forTenant(database, await tenantIdOf(world, await world.client()));
  const pictures = [1, 2, 3].map((seed) => ({ id: `r${seed}`, vector: vectorNear(null, 60, numbersFrom(seed), 32) }));
  await addEmbedded(pool, tenantId, pictures, 'former');
  await switchTo('former', tenantId);
  await buildAll(database);
  return tenantId;
}

/** All images of a tenant, or all but the first, have vectors of this model beside those of the model in use. */
async function analyze(tenantId: number, model: string, { dimensions = 48, all = true } = {}): Promise<void> {
  const vector = Buffer.from(vectorNear(null, 60, numbersFrom(9), dimensions));
  await world.backing.database.pool.query(
    `WITH next AS (INSERT INTO embedding_model (name) VALUES ($3) ON CONFLICT (name) DO UPDATE SET name = $3 RETURNING id)
     UPDATE image_fingerprint SET former_embedding = COALESCE(former_embedding, embedding),
       former_model_id = COALESCE(former_model_id, model_id), embedding = $2, model_id = next.id FROM next
     WHERE tenant_id = $1 AND ($4 OR row_id > (SELECT min(row_id) FROM image_fingerprint WHERE tenant_id = $1))`,
    [tenantId, vector, model, all],
  );
}

/** Whether the tenant is switched over. */
async function switchTo(model: string, tenantId: number, options: Partial<CurrentModel> = {}): Promise<boolean> {
  const current = { model, signature: 'any', ...options };
  const switched = await switchModels(world.backing.database, current, new AbortController().signal);
  return switched.some((each) => each.tenantId === tenantId);
}

const progressOf = (tenantId: number, model: string) =>
  readVectorProgress(forTenant(world.backing.database, tenantId), model);

describe.skipIf(noPgvector)(`a model that takes over from one with an index${pgvectorNote}`, () => {
  it('waits until all images have its vectors and these have an index, too', async () => {
    const tenantId = await begin();
    await analyze(tenantId, 'next', { all: false });
    await buildAll(world.backing.database);
    expect(await switchTo('next', tenantId)).toBe(false);
    await world.backing.database.pool.query(`DROP INDEX image_vectors_${tenantId}_${await idOf('next')}_48`);
    await analyze(tenantId, 'next');
    expect(await switchTo('next', tenantId)).toBe(false);
    expect(await progressOf(tenantId, 'next')).toMatchObject([
      { nextModel: 'next', done: 3, total: 3, isIndexed: false },
    ]);
    const [finding] = await findFormerVectors(world.backing.database.pool as unknown as PoolClient);
    expect(finding).toMatchObject({
      text: expect.stringContaining('3 of 3 vectors of images exist for next'),
      remedy: 'The workers switch over as soon as the new vectors have their index in the database.',
    });
    await buildAll(world.backing.database);
    expect(await progressOf(tenantId, 'next')).toMatchObject([{ isIndexed: true }]);
    expect(await switchTo('next', tenantId)).toBe(true);
  });

  it('waits for no index where searches go to memory', async () => {
    const tenantId = await begin();
    await analyze(tenantId, 'next');
    expect(await switchTo('next', tenantId)).toBe(false);
    expect(await switchTo('next', tenantId, { isInMemory: true })).toBe(true);
  });

  it('waits for no index that can never be built, of vectors that are too long', async () => {
    const tenantId = await begin();
    await analyze(tenantId, 'long', { dimensions: 4016 });
    expect(await switchTo('long', tenantId)).toBe(true);
  });

  it('waits for no index that is built for another model', async () => {
    const tenantId = await begin();
    await analyze(tenantId, 'next');
    await analyze(tenantId, `newer than next ${tenantId}`, { all: false });
    const { pool } = world.backing.database;
    // The one picture that cannot be analyzed keeps the newer model.
    await pool.query(
      `UPDATE image SET ai_status = 'failed' WHERE row_id = (SELECT max(row_id) FROM image WHERE tenant_id = $1)`,
      [tenantId],
    );
    await pool.query(
      `INSERT INTO image_analysis (row_id, tenant_id, checksum, signature, facts)
       SELECT max(row_id), $1, sha256(''), 'any', '{}' FROM image WHERE tenant_id = $1`,
      [tenantId],
    );
    await pool.query(
      `UPDATE image_fingerprint SET model_id = $2 WHERE tenant_id = $1
       AND row_id < (SELECT max(row_id) FROM image WHERE tenant_id = $1)`,
      [tenantId, await idOf('next')],
    );
    expect(await switchTo('next', tenantId)).toBe(true);
  });
});

describe.skipIf(noPgvector)(`a model that takes over from one without an index${pgvectorNote}`, () => {
  it('is used once all images have its vectors', async () => {
    const tenantId = await begin();
    await buildAll(world.backing.database, { databaseFrom: 1_000_000 });
    await analyze(tenantId, 'next');
    expect(await switchTo('next', tenantId)).toBe(true);
  });
});

async function idOf(model: string): Promise<number> {
  const { rows } = await world.backing.database.pool.query<{ id: number }>(
    'SELECT id FROM embedding_model WHERE name = $1',
    [model],
  );
  return rows[0]?.id ?? 0;
}
