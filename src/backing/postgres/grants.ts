import pg from 'pg';
import { SetupError } from '../../lib/errors.ts';
import { queueSchema } from '../queue/queue-tables.ts';
import { SteadyClient } from './steady-client.ts';

/** The rights that the service needs on its tables: it reads and writes rows, and nothing else. */
const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].join(', ');

/**
 * Lets a role use the service's tables, including those of later migrations. The role can change neither tables nor
 * its own rights.
 *
 * @throws SetupError if there is no such role, or the user of `url` does not own the tables.
 */
export async function grantTo(url: string, role: string): Promise<void> {
  const client = new SteadyClient({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    if (rowCount === 0)
      throw new SetupError(
        `There is no role ${role}. Create it: CREATE ROLE ${pg.escapeIdentifier(role)} LOGIN PASSWORD '…'`,
      );
    const { rows } = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
    await client.query('BEGIN');
    for (const schema of [rows[0]?.schema ?? 'public', queueSchema]) {
      for (const text of grantsOf(pg.escapeIdentifier(schema), pg.escapeIdentifier(role))) await client.query(text);
    }
    // Every start reads the list of migrations; only its owner may write it.
    await client.query(`REVOKE INSERT, UPDATE, DELETE ON "_prisma_migrations" FROM ${pg.escapeIdentifier(role)}`);
    await client.query(`REVOKE INSERT, UPDATE, DELETE ON ${queueSchema}.migration FROM ${pg.escapeIdentifier(role)}`);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

function grantsOf(schema: string, role: string): string[] {
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${rights} ON TABLES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT EXECUTE ON FUNCTIONS TO ${role}`,
  ];
}
