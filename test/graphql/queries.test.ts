import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { imageFields, schemaName } from '../../rest/endpoints/contract.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld({ worker: false });
  const worker = world.startWorker();
  client = await world.client();
  await world.picture('p.png');
  await client.write(
    'POST',
    '/imgs',
    Array.from({ length: 60 }, (_, i) => ({ id: `i${i}`, src_path: 'p.png', keywords: ['a'] })),
  );
  // Each of these fails, so that its operation has errors to read.
  for (let i = 0; i < 30; i += 1) await client.write('DELETE', `/imgs/none-${i}`);
  await worker.close();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => world.close());

/** Counts the statements about records and operations that the database is sent. */
function countStatements(): () => number {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  return () =>
    query.mock.calls.filter(([statement]) => {
      const { text } = statement as unknown as { text: string };
      return /FROM .{0,20}\b(?:image|operation|operation_error)\b/.test(text);
    }).length;
}

describe('a list', () => {
  const everyField = imageFields.map(schemaName).join(' ');

  it.each([
    ['images', (limit: number) => `{ images(limit: ${limit}) { results { ${everyField} } cursor count } }`],
    [
      'operations with their errors',
      (limit: number) =>
        `{ operations(limit: ${limit}) { results { id numBad errors { position ref code field msg } } count } }`,
    ],
  ])('of %s takes as many statements for many rows as for one', async (_, query) => {
    const ask = async (limit: number) => {
      const { data, errors } = await client.graphql(query(limit));
      expect(errors).toBeUndefined();
      return Object.values(data as object)[0].results.length as number;
    };
    const sent = countStatements();
    expect(await ask(1)).toBe(1);
    const forOne = sent();
    expect(await ask(30)).toBe(30);
    expect(forOne).toBeGreaterThan(0);
    expect(sent() - forOne).toBe(forOne);
  });
});
