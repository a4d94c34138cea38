import type pg from 'pg';

/** How values are printed, whatever the server, the database or the role sets for its sessions. */
export const valueFormats = {
  datestyle: 'ISO',
  // Prisma takes every time for UTC and ignores its offset.
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: 1,
} as const;

/** Sets PostgreSQL parameters for the session of a connection. */
export async function setSession(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string | number>>,
): Promise<void> {
  const parts = Object.entries(settings).map(([setting, value]) => `SET ${setting} = '${value}'`);
  await client.query(parts.join(';'));
}
