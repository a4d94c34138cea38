import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ensureFirstTenant } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

const begin = (key: string) =>
  ensureFirstTenant(world.backing.database, readConfig({ ADMIN_API_KEY: key, DATA_DIR: world.media }), {
    isService: true,
  });

it('a start that ends while it replaces the key of the environment can go back to the former value', async () => {
  const { pool } = world.backing.database;
  await begin('pass-phrase-of-the-desk');
  await pool.query(`
    CREATE FUNCTION end_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'ended'; END $$;
    CREATE TRIGGER end_here BEFORE UPDATE ON api_key FOR EACH ROW
      WHEN (OLD.revoked_at IS NOT NULL AND NEW.is_environment) EXECUTE FUNCTION end_here()`);
  await expect(begin('another-phrase-of-the-desk')).rejects.toThrow('ended');
  await pool.query('DROP FUNCTION end_here() CASCADE');
  await expect(begin('pass-phrase-of-the-desk')).resolves.toBeNull();
});
