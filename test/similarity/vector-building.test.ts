import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { openDatabase, prepareDatabase } from '../../src/backing/index.ts';
import { readArchive, writeArchive } from '../../src/backup/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { findDatabase } from '../../src/doctor/database.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { readFingerprintIndex } from '../../src/similarity/database/fingerprint-index.ts';
import { startFingerprintIndexer, TenantIndexes } from '../../src/similarity/index.ts';
import { forTenant } from '../../src/tenants/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { emptyDatabase, onDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { noPgvector, pgvectorNote } from '../support/pgvector.ts';
import { cleanUp, run } from '../support/program.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { addEmbedded, buildAll, findNear, numbersFrom, vectorIndexNames, vectorNear } from './embedded.ts';

let world: World;
let db: TenantDb;
let database: TenantIndexes;

const pictures = Array.from({ length: 5 }, (_, n) => ({ id: `p${n}`, vector: vectorNear(null, 60, numbersFrom(n)) }));

beforeAll(async () => {
  if (noPgvector !== false) return;
  world = await openWorld({ worker: false });
  db = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
  database = new TenantIndexes(64 * 1024 * 1024, 1, { mode: 'database', databaseFrom: 1 });
  await addEmbedded(db.pool, db.tenantId, pictures);
});
afterAll(async () => {
  if (noPgvector !== false) return;
  cleanUp();
  await database.close();
  await world.close();
});

describe.skipIf(noPgvector)(`building the index of vectors${pgvectorNote}`, () => {
  it('is done once', async () => {
    await buildAll(world.backing.database);
    expect(await buildAll(world.backing.database)).toEqual({ built: 0, fault: null });
  });

  it('ends at once when the service closes, and begins again with the next call', async () => {
    const late = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    await addEmbedded(db.pool, late.tenantId, [{ id: 'late', vector: vectorNear(null, 60, numbersFrom(11)) }]);
    const writer = await db.pool.connect();
    try {
      await writer.query('BEGIN');
      await writer.query('UPDATE image_fingerprint SET pdq_quality = 1 WHERE tenant_id = $1', [late.tenantId]);
      const closing = new AbortController();
      const running = buildAll(world.backing.database, { signal: closing.signal });
      // It waits for the writer.
      await vi.waitFor(
        async () => {
          const { rowCount } = await db.pool.query('SELECT FROM pg_stat_progress_create_index WHERE lockers_total > 0');
          expect(rowCount).toBe(1);
        },
        { timeout: 20_000 },
      );
      expect(await buildAll(world.backing.database)).toEqual({ built: 0, fault: 'busy' });
      closing.abort();
      expect(await running).toEqual({ built: 0, fault: null });
      expect((await vectorIndexNames(db.pool)).filter(({ isValid }) => !isValid).length).toBe(1);
    } finally {
      await writer.query('ROLLBACK');
      writer.release();
    }
    // The index that is not complete answers nothing.
    expect((await findNear(database, late, vectorNear(null, 60, numbersFrom(11)), 0.99)).length).toBe(1);
    expect(await buildAll(world.backing.database)).toEqual({ built: 1, fault: null });
    expect((await vectorIndexNames(db.pool)).every(({ isValid }) => isValid)).toBe(true);
  });

  it('follows the model that most vectors have, and drops the index of the former one', async () => {
    const own = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const [first, second] = [1, 2].map((seed) => vectorNear(null, 60, numbersFrom(seed), 32)) as [Int8Array, Int8Array];
    await addEmbedded(db.pool, own.tenantId, [{ id: 'a', vector: first }], 'former');
    await buildAll(world.backing.database);
    expect((await findNear(database, own, first, 0.9)).length).toBe(1);
    await addEmbedded(
      db.pool,
      own.tenantId,
      [
        { id: 'b', vector: second },
        { id: 'c', vector: second },
      ],
      'later',
    );
    expect(await buildAll(world.backing.database)).toEqual({ built: 1, fault: null });
    expect((await findNear(database, own, second, 0.9)).length).toBe(2);
    expect((await findNear(database, own, first, 0.9)).length).toBe(0);
    const ofTenant = (await vectorIndexNames(db.pool)).filter(({ name }) =>
      name.startsWith(`image_vectors_${own.tenantId}_`),
    );
    expect(ofTenant.length).toBe(1);
  });

  it('is done for a model that takes over, too, so that searches have an index before, while and after it does', async () => {
    const own = forTenant(world.backing.database, await tenantIdOf(world, await world.client()));
    const former = [1, 2, 3].map((seed) => vectorNear(null, 60, numbersFrom(seed), 32));
    const [later = new Int8Array(0)] = [4].map((seed) => vectorNear(null, 60, numbersFrom(seed), 48));
    const named = former.map((vector, n) => ({ id: `r${n}`, vector }));
    await addEmbedded(db.pool, own.tenantId, named, 'model in use');
    const { rows } = await db.pool.query<{ inUse: number; next: number }>(
      `WITH next AS (INSERT INTO embedding_model (name) VALUES ('next model') RETURNING id),
            used AS (INSERT INTO model_in_use (tenant_id, resource, model_id)
                     SELECT $1, 'image', id FROM embedding_model WHERE name = 'model in use' RETURNING model_id)
       SELECT model_id AS "inUse", id AS next FROM used, next`,
      [own.tenantId],
    );
    const { inUse = 0, next = 0 } = rows[0] ?? {};
    const searched = async () => (await readFingerprintIndex(own))?.vectors?.id;
    const indexed = async () => {
      const names = (await vectorIndexNames(db.pool)).map(({ name }) => name.split('_').map(Number));
      return names
        .flatMap(([, , tenant, model = 0]) => (tenant === own.tenantId ? [model] : []))
        .toSorted((a, b) => a - b);
    };
    await buildAll(world.backing.database);
    expect([await indexed(), await searched()]).toEqual([[inUse], inUse]);

    await db.pool.query(
      `UPDATE image_fingerprint SET former_embedding = embedding, former_model_id = model_id, embedding = $2, model_id = $3
       WHERE tenant_id = $1 AND row_id <> (SELECT min(row_id) FROM image_fingerprint WHERE tenant_id = $1)`,
      [own.tenantId, Buffer.from(later), next],
    );
    expect(await searched()).toBe(inUse);
    expect(await buildAll(world.backing.database)).toEqual({ built: 1, fault: null });
    expect(await buildAll(world.backing.database)).toEqual({ built: 0, fault: null });
    expect([await indexed(), await searched()]).toEqual([[inUse, next], inUse]);
    for (const vector of former) expect((await findNear(database, own, vector, 0.99)).length).toBe(1);

    await db.pool.query('UPDATE model_in_use SET model_id = $2 WHERE tenant_id = $1', [own.tenantId, next]);
    expect(await searched()).toBe(next);
    expect((await findNear(database, own, later, 0.99)).length).toBe(2);
    await db.pool.query(
      'UPDATE image_fingerprint SET former_embedding = NULL, former_model_id = NULL WHERE tenant_id = $1',
      [own.tenantId],
    );
    await buildAll(world.backing.database);
    expect([await indexed(), await searched()]).toEqual([[next], next]);
  });

  it('reads vectors of any length as signed bytes, and leaves out those of another length', async () => {
    for (const length of [1, 127, 128, 129, 300]) {
      const part = Buffer.from(Array.from({ length }, (_, n) => (n * 37 + 126) % 256));
      const { rows } = await db.pool.query<{ numbers: string; other: string | null }>(
        `SELECT fingerprint_vector($1, $2)::text AS numbers, fingerprint_vector($1, $2 + 1)::text AS other`,
        [part, length],
      );
      expect(rows).toEqual([{ numbers: `[${new Int8Array(part).join(',')}]`, other: null }]);
    }
  });

  it('brings the function of an earlier version up to date', async () => {
    const source = async () => {
      const { rows } = await db.pool.query<{ prosrc: string }>(
        `SELECT prosrc FROM pg_proc WHERE proname = 'fingerprint_vector'`,
      );
      return rows[0]?.prosrc;
    };
    const current = await source();
    await db.pool.query(
      `CREATE OR REPLACE FUNCTION fingerprint_vector(embedding BYTEA, dimensions INTEGER) RETURNS halfvec
       LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS 'BEGIN RETURN NULL; END'`,
    );
    await buildAll(world.backing.database);
    expect(await source()).toBe(current);
  });

  it('drops the indexes of tenants that have become small or are gone', async () => {
    await buildAll(world.backing.database, { databaseFrom: 5 });
    expect((await vectorIndexNames(db.pool)).map(({ name }) => name.split('_')[2])).toEqual([String(db.tenantId)]);
    await buildAll(world.backing.database, { databaseFrom: 1_000_000 });
    expect(await vectorIndexNames(db.pool)).toEqual([]);
  });
});

describe.skipIf(noPgvector)(`a service with indexes of vectors${pgvectorNote}`, () => {
  const urlOf = () => world.backing.database.pool.options.connectionString as string;

  it('builds them beside its work, and closes while one is built', async () => {
    const logger = createLogger('fatal');
    const placement = { mode: 'auto', databaseFrom: 1 } as const;
    await buildAll(world.backing.database, { databaseFrom: 1_000_000 });
    const first = startFingerprintIndexer({ database: world.backing.database, logger, placement });
    await vi.waitFor(async () => expect(await vectorIndexNames(db.pool)).not.toEqual([]), { timeout: 20_000 });
    await first.close();
    await buildAll(world.backing.database);
    expect((await vectorIndexNames(db.pool)).every(({ isValid }) => isValid)).toBe(true);
  });

  it('is backed up, and restored where there is no extension', full, async () => {
    await buildAll(world.backing.database);
    const target = await emptyDatabase(inject('postgresUrl'));
    try {
      const archive = Readable.from(writeArchive({ url: urlOf(), folders: {} })) as AsyncIterable<Buffer>;
      await readArchive(archive, { url: target.url, folders: {}, replaces: false });
      const { rows } = await onDatabase(target.url, (client) =>
        client.query(
          `SELECT (SELECT count(*)::int FROM image_fingerprint) AS rows, to_regtype('halfvec') IS NULL AS plain`,
        ),
      );
      const own = await db.pool.query<{ rows: number }>('SELECT count(*)::int AS rows FROM image_fingerprint');
      expect(rows).toEqual([{ rows: own.rows[0]?.rows, plain: true }]);
    } finally {
      await target.drop();
    }
  });

  it('has them built by a command, for the owner of its tables', full, async () => {
    await buildAll(world.backing.database, { databaseFrom: 1_000_000 });
    await db.pool.query(`UPDATE record_total SET count = 10000 WHERE tenant_id = $1`, [db.tenantId]);
    const environment = { DATABASE_URL: urlOf(), SIMILARITY_DATABASE_FROM: '10000' };
    for (const built of [1, 0]) {
      const command = run(['reindex', '--vectors', '--json'], environment);
      expect([await command.ended, JSON.parse(command.results())]).toEqual([0, { built }]);
    }
  });

  it('starts again and finds nothing to migrate', async () => {
    await buildAll(world.backing.database);
    expect(await prepareDatabase(urlOf(), { migrates: true })).toEqual([]);
  });
});

describe.skipIf(noPgvector)(`a database whose user may not create the extension${pgvectorNote}`, () => {
  it('has no index until a superuser creates it, as the doctor says', async () => {
    const { url, drop } = await emptyDatabase(inject('postgresUrl'));
    const name = new URL(url).pathname.slice(1);
    await onDatabase(url, (client) =>
      client.query(`CREATE EXTENSION btree_gin; CREATE EXTENSION fuzzystrmatch; CREATE ROLE owner_${name} LOGIN PASSWORD 'owner';
        ALTER DATABASE ${name} OWNER TO owner_${name}; GRANT ALL ON SCHEMA public TO owner_${name}`),
    );
    const own = new URL(url);
    [own.username, own.password] = [`owner_${name}`, 'owner'];
    await prepareDatabase(own.href, { migrates: true });
    const opened = openDatabase({ url: own.href, logger: createLogger('fatal') });
    try {
      await opened.pool.query(`INSERT INTO tenant (id, name) VALUES (1, 'mine')`);
      await addEmbedded(opened.pool, 1, pictures);
      const environment = { DATABASE_URL: own.href, SIMILARITY_DATABASE_FROM: '10000' };
      await opened.pool.query(`UPDATE record_total SET count = 10000 WHERE tenant_id = 1 AND resource = 'image'`);
      const vectors = async () =>
        (await findDatabase(readConfig(environment))).filter(({ subject }) => subject === 'vectors');
      expect(await buildAll(opened)).toEqual({ built: 0, fault: 'superuser' });
      expect(await vectors()).toEqual([
        {
          subject: 'vectors',
          state: 'note',
          text: '0 of 1 large tenants have an index of vectors: PostgreSQL has pgvector, but this database lacks it',
          remedy: 'If the workers may not create it, a superuser can: CREATE EXTENSION vector',
        },
      ]);
      await onDatabase(url, (client) => client.query('CREATE EXTENSION vector'));
      expect(await buildAll(opened)).toEqual({ built: 1, fault: null });
      expect(await vectors()).toEqual([
        {
          subject: 'vectors',
          state: 'ok',
          text: expect.stringMatching(/^1 of 1 large tenants have an index of vectors \(pgvector 0\.\d+\.\d+\)$/),
        },
      ]);
    } finally {
      await opened.close();
      await drop();
      await onDatabase(inject('postgresUrl'), (client) => client.query(`DROP ROLE owner_${name}`));
    }
  });
});
