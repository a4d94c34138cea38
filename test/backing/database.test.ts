import fc from 'fast-check';
import { expect, inject, it, vi } from 'vitest';
import { openDatabase, parseTexts } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { runsOf } from '../support/effort.ts';

it('reads lists of texts as PostgreSQL prints them', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', ' ', ',', '"', '\\', '{', '}', 'NULL', 'null', '\n', '😀'), maxLength: 6 }); // prettier-ignore
  await onDatabase(inject('postgresUrl'), async (client) => {
    const property = fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (texts) => {
      const { rows } = await client.query<{ printed: string }>('SELECT $1::text[]::text AS printed', [texts]);
      expect(parseTexts(rows[0]?.printed ?? '')).toEqual(texts);
    });
    await fc.assert(property, { numRuns: runsOf('values') });
  });
});

it('connections that are lost together have one line of the log', async () => {
  const clone = await cloneDatabase(inject('postgresUrl'));
  const logger = createLogger('silent');
  const warn = vi.spyOn(logger, 'warn');
  const database = openDatabase({ url: clone.url, logger });
  await Promise.all([1, 2, 3].map(() => database.pool.query('SELECT pg_sleep(0.2)')));
  await onDatabase(
    inject('postgresUrl'),
    (client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [new URL(clone.url).pathname.slice(1)]), // prettier-ignore
  );
  await expect.poll(() => warn.mock.calls, { timeout: 10_000 }).toEqual([[{ error: expect.stringContaining('terminat'), connections: 3 }, 'connections to the database were lost']]); // prettier-ignore
  await database.close();
  await clone.drop();
});
