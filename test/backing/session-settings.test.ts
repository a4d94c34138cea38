import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;

beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  const name = new URL(clone.url).pathname.slice(1);
  await onDatabase(clone.url, (client) =>
    client.query(`
      ALTER DATABASE ${name} SET datestyle = 'German';
      ALTER DATABASE ${name} SET timezone = 'Asia/Kathmandu';
      ALTER DATABASE ${name} SET bytea_output = 'escape';
      ALTER DATABASE ${name} SET extra_float_digits = -5;
      ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable';
      INSERT INTO tenant (id, name, created_at) VALUES (1, 'mine', '2024-05-06T07:08:09Z')`),
  );
  database = openDatabase({ url: clone.url, logger: createLogger('fatal') });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

it('values are read and transactions isolated alike, whatever the database sets for its sessions', async () => {
  const { createdAt } = await database.prisma.tenant.findUniqueOrThrow({ where: { id: 1 } });
  expect(createdAt.toISOString()).toBe('2024-05-06T07:08:09.000Z');
  const { rows } = await database.pool.query(`
    SELECT created_at, to_jsonb('\\x00ff'::bytea) AS bytes, (1 / 3::float8)::text AS third,
           current_setting('transaction_isolation') AS isolation FROM tenant`);
  expect(rows).toEqual([
    { created_at: createdAt, bytes: '\\x00ff', third: '0.3333333333333333', isolation: 'read committed' },
  ]);
});
