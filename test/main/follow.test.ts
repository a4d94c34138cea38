import { inject, expect, it } from 'vitest';
import { parseEvents } from '../live/support.ts';
import { cloneDatabase } from '../support/database.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

it(
  'follows an operation that another process applies, and goes on after a restart of the API process',
  full,
  async () => {
    const { url: DATABASE_URL, drop } = await cloneDatabase(inject('postgresUrl'));
    const key = 'a-key-of-the-operator-0001';
    const settings = { DATABASE_URL, DATA_DIR: newFolder(), ADMIN_API_KEY: key };
    const first = await start({ ...settings, ROLE: 'api' });
    const client = createClient(first.url, key);
    const elements = Array.from({ length: 700 }, (_, i) => ({ id: `none-${i}` }));
    const { body } = await client.rest('DELETE', '/imgs', elements);
    const path = `/ops/${body.operation_id}/events`;
    const before = client.rest('GET', path);
    await expect.poll(async () => (await fetch(`${first.url}/health`)).status).toBe(200);
    expect(await stop(first)).toBe(0);
    const seen = parseEvents((await before).body);
    expect(seen.map(({ event }) => event)).toEqual(['queued']);

    const second = await start({ ...settings, ROLE: 'api' });
    const after = createClient(second.url, key).rest('GET', path, undefined, {
      'Last-Event-ID': seen.at(-1)?.id ?? '',
    });
    const worker = run(['serve'], { ...settings, ROLE: 'worker', DATA_DIR: newFolder() });
    const events = parseEvents((await after).body);
    expect(events[0]?.event).toBe('started');
    expect(events.at(-1)).toMatchObject({ event: 'finished', data: { num_total: 700, num_bad: 700 } });
    await stop(worker);
    await stop(second);
    await drop();
  },
);
