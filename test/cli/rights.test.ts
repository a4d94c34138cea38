import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { command } from '../support/command.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);

/** Makes a role and returns the address with which it connects. */
async function withRole(url: string): Promise<{ name: string; url: string; drop: () => Promise<void> }> {
  const name = `role_${randomBytes(4).toString('hex')}`;
  await onDatabase(url, (client) => client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`));
  const own = new URL(url);
  [own.username, own.password] = [name, 'x'];
  const drop = async () => {
    await onDatabase(url, (client) => client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`));
  };
  return { name, url: own.href, drop };
}

describe('a database that this user may not migrate', () => {
  it('is refused with the right that is missing, and what to do', async () => {
    const { url, drop } = await emptyDatabase(inject('postgresUrl'));
    const role = await withRole(url);
    const { code, output } = await command(['migrate'], { DATABASE_URL: role.url, DATA_DIR: newFolder() });
    expect(code).toBe(1);
    expect(output).toContain(`The user ${role.name} of DATABASE_URL cannot create or change the tables: it lacks `);
    expect(output).toContain('the right CREATE on the schema public (permission denied for schema public).');
    expect(output).toContain(`Run "vitrine migrate --grant ${role.name}" once`);
    await role.drop();
    await drop();
  });

  it('and whose tables it may not read is refused with that right', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const role = await withRole(url);
    const { output } = await command(['tenant', 'list'], { DATABASE_URL: role.url, DATA_DIR: newFolder() });
    expect(output).toContain(`The user ${role.name} of DATABASE_URL cannot read the tables: it lacks the right SELECT`);
    await role.drop();
    await drop();
  });
});

it('a database that a newer version has migrated is refused by name of its migrations', async () => {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  await onDatabase(url, (client) =>
    client.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
                  VALUES ('x', 'x', '29990101000000_of_the_future', now())`),
  );
  const environment = { DATABASE_URL: url, DATA_DIR: newFolder() };
  for (const args of [['tenant', 'list'], ['migrate'], ['migrate', '--check']]) {
    const { code, output } = await command(args, environment);
    expect([args, code]).toEqual([args, 1]);
    expect(output).toContain('The database belongs to a newer version of Vitrine');
    expect(output).toContain('29990101000000_of_the_future');
  }
  await drop();
});
