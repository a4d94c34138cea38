import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { ids, parseEvents } from './support.ts';
import type { Event } from './support.ts';
import { full } from '../support/effort.ts';

let world: World;
/** A world where nobody applies what is accepted, until a test starts a worker. */
let idle: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  idle = await openWorld({ worker: false });
  client = await world.client();
});
afterAll(async () => {
  await world.close();
  await idle.close();
});

const types = (events: readonly { event: string }[]) => events.map(({ event }) => event);

describe('GET /ops/{op_id}/events', () => {
  it('gives the log of an operation that has ended, and ends', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(3));
    await finished(client, id);
    const { status, headers, body } = await client.rest('GET', `/ops/${id}/events`);
    expect([status, headers.get('content-type'), headers.get('x-accel-buffering')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no',
    ]);
    expect(body.startsWith('retry: 2000\n\n')).toBe(true);
    const events = parseEvents(body);
    expect(types(events)).toEqual(['queued', 'started', 'finished']);
    expect(events.map(({ id: sequence }) => Number(sequence))).toEqual(events.map(({ data }) => data.sequence));
    expect(events.at(-1)?.data).toEqual({
      operation_id: id,
      sequence: 4,
      type: 'finished',
      at: (await client.rest('GET', `/ops/${id}`)).body.finished_at,
      num_total: 3,
      num_good: 0,
      num_bad: 3,
      num_to_analyze: 0,
      num_analyzed: 0,
      num_analysis_bad: 0,
    });
  });

  it('is counted among the requests, as every answer is', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(3));
    await finished(client, id);
    const operator = await world.client({ tenant: 'default' });
    const count = async () => {
      const text = (await operator.rest('GET', '/metrics')).body as string;
      const line = text
        .split('\n')
        .find((each) =>
          /^vitrine_http_request_seconds_count\{.*route="\/ops\/\{op_id\}\/events".*status="200"/.test(each),
        );
      return Number(line?.split(' ')[1] ?? 0);
    };
    const before = await count();
    await client.rest('GET', `/ops/${id}/events`);
    expect(await count()).toBe(before + 1);
  });

  it('goes on behind Last-Event-ID, by header or by query; the header counts more', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(3));
    await finished(client, id);
    for (const [query, headers, expected] of [
      ['?last_event_id=1', {}, ['started', 'finished']],
      ['', { 'Last-Event-ID': '2' }, ['finished']],
      ['?last_event_id=1', { 'Last-Event-ID': '2' }, ['finished']],
      ['?last_event_id=0', { 'Last-Event-ID': '' }, ['queued', 'started', 'finished']],
    ] as const) {
      const { body } = await client.rest('GET', `/ops/${id}/events${query}`, undefined, headers);
      expect(types(parseEvents(body))).toEqual(expected);
    }
  });

  it('answers 204 behind the last event, so that a browser does not ask again', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(3));
    await finished(client, id);
    for (const last of ['4', '99999999999']) {
      const { status, body } = await client.rest('GET', `/ops/${id}/events`, undefined, { 'Last-Event-ID': last });
      expect([status, body]).toEqual([204, '']);
    }
  });

  it('sends events as they happen, and ends with the last one', async () => {
    const own = await idle.client();
    const id = await send(own, 'DELETE', '/imgs', ids(3));
    const reading = own.rest('GET', `/ops/${id}/events`);
    await own.rest('DELETE', `/ops/${id}`);
    const events = parseEvents((await reading).body);
    expect(types(events)).toEqual(['queued', 'aborted']);
    expect(events[1]?.data).toMatchObject({ num_total: 3, num_good: 0, num_bad: 0 });
  });

  it.each(['0', '999999', '9223372036854775808'])(
    'answers 404 in JSON for an operation that is not there: %s',
    async (id) => {
      const { status, headers, body } = await client.rest('GET', `/ops/${id}/events`);
      expect([status, headers.get('content-type'), body]).toEqual([
        404,
        'application/json',
        { detail: 'Operation not found', code: 'not_found' },
      ]);
    },
  );

  it("answers for another tenant's operation as for one that is not there", async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(1));
    const other = await world.client();
    const [theirs, none] = [
      await other.rest('GET', `/ops/${id}/events`),
      await other.rest('GET', '/ops/999999/events'),
    ];
    expect([theirs.status, theirs.body]).toEqual([none.status, none.body]);
    expect([...theirs.headers.keys()]).toEqual([...none.headers.keys()]);
  });

  it('refuses what is no number, and callers without a key', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(1));
    const { status, body } = await client.rest('GET', `/ops/${id}/events`, undefined, { 'Last-Event-ID': 'x' });
    expect([status, body.detail[0]]).toMatchObject([422, { type: 'int_parsing', loc: ['header', 'Last-Event-ID'] }]);
    expect((await client.rest('GET', '/ops/abc/events')).status).toBe(422);
    expect((await fetch(`${world.url}/ops/${id}/events`)).status).toBe(401);
    expect((await client.rest('POST', `/ops/${id}/events`)).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('answers HEAD with the head of the stream alone', async () => {
    expect((await client.rest('HEAD', '/ops/999999/events')).status).toBe(404);
    const own = await idle.client();
    const id = await send(own, 'DELETE', '/imgs', ids(1));
    const { status, headers, body } = await own.rest('HEAD', `/ops/${id}/events`);
    expect([status, headers.get('content-type'), body]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
  });
});

describe('the public client eventsource', () => {
  it('reads every event to the last, and stops asking by itself', full, async () => {
    const own = await idle.client();
    const id = await send(own, 'DELETE', '/imgs', ids(500));
    const requests: (string | null)[] = [];
    const source = new EventSource(`${idle.url}/ops/${id}/events`, {
      fetch: (url, init) => {
        requests.push(new Headers(init.headers).get('last-event-id'));
        return fetch(url, { ...init, headers: { ...init.headers, 'API-Key': own.key } });
      },
    });
    const events: Event[] = [];
    const closed = new Promise<void>((resolve) => {
      source.addEventListener('error', () => source.readyState === source.CLOSED && resolve());
    });
    for (const type of ['queued', 'started', 'progress', 'finished']) {
      source.addEventListener(type, ({ data }) => events.push(JSON.parse(data) as Event));
    }
    await new Promise((resolve) => source.addEventListener('open', resolve));
    const worker = idle.startWorker();
    await closed; // The second request is answered 204, after the two seconds of `retry`.
    await worker.close();
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['queued', 'started', 'finished']));
    expect(events.at(-1)).toMatchObject({ type: 'finished', num_bad: 500 });
    expect(requests).toEqual([null, String(events.at(-1)?.sequence)]);
  });
});

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasCurl())('curl -N (skipped: there is no curl, unless this ran)', () => {
  it('prints the events of an operation and ends', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(2));
    const args = ['-sN', '-H', `API-Key: ${client.key}`, `${world.url}/ops/${id}/events`];
    const { stdout } = await promisify(execFile)('curl', args);
    expect(types(parseEvents(stdout)).at(-1)).toBe('finished');
  });
});
