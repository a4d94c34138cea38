import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { exchange, openWire } from '../support/raw.ts';
import { cloneDatabase } from '../support/database.ts';
import { newFolder, start } from '../support/program.ts';
import { openSlowServer } from '../support/slow-server.ts';
import type { Run } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

const key = 'a-key-of-the-operator-0001';
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: x', `API-Key: ${key}`, ...headers].join('\r\n')}\r\n\r\n`;

const { waiting, url: slowUrl } = openSlowServer();

async function startHere(): Promise<Run & { url: string }> {
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  const environment = { DATABASE_URL: url, DATA_DIR: newFolder(), ADMIN_API_KEY: key };
  return start({ ...environment, SOURCE_ALLOW: '127.0.0.0/8', WORKERS: '1' });
}

describe('after SIGTERM', () => {
  it('a request under way is answered, idle connections end, new requests are refused, and the exit code is 0', async () => {
    const { child, ended, url } = await startHere();
    const src = slowUrl('a.jpg');
    const idle = await openWire(url);
    idle.write(head('GET /me'));
    await expect.poll(() => idle.received().toString()).toContain('admin');
    const busy = await openWire(url);
    busy.write(head('GET /me')); // Kept alive, and then under way with a write.
    await expect.poll(() => busy.received().toString()).toContain('admin');
    const body = JSON.stringify({ src });
    busy.write(`${head('POST /imgs/a?wait=true', `Content-Length: ${body.length}`)}${body}`);
    const half = await openWire(url); // Its body is still coming when the signal does.
    half.write(`${head('POST /imgs/b', 'Content-Length: 100')}{"src":`);
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(1);

    child.kill('SIGTERM');
    const [only, ...more] = await idle.ended;
    expect([only?.status, more]).toEqual([200, []]);
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    // On a connection that is still open for another reason, a new request is refused.
    half.write(`"${src}"}`.padEnd(93));
    const [first] = await half.ended;
    expect([first?.status, first?.headers['connection']]).toEqual([202, 'close']);

    expect(child.exitCode).toBeNull();
    waiting.shift()?.();
    const [, written] = await busy.ended;
    expect([written?.status, written?.headers['connection']]).toEqual([200, 'close']);
    expect(JSON.parse(written?.body ?? '')).toMatchObject({ is_finished: true, num_bad: 1 });
    expect(await ended).toBe(0);
  });

  it(
    'a second one, after a second, ends the process at once; one that comes with the first does not',
    full,
    async () => {
      const { child, ended, url } = await startHere();
      const body = JSON.stringify({ src: slowUrl('slow.jpg') });
      const busy = await openWire(url);
      busy.write(`${head('POST /imgs/a?wait=true', `Content-Length: ${body.length}`)}${body}`);
      await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(1);
      child.kill('SIGTERM');
      child.kill('SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(child.exitCode).toBeNull();
      const before = performance.now();
      child.kill('SIGTERM');
      expect(await ended).toBe(143);
      expect(performance.now() - before).toBeLessThan(5_000);
      waiting.shift()?.();
    },
  );

  it('a request that waits for what this process no longer does is answered with what there is', full, async () => {
    const { child, ended, url } = await startHere();
    const src = slowUrl('b.jpg');
    const client = createClient(url, key);
    const images = Array.from({ length: 3 }, (_, i) => ({ id: `x${i}`, src }));
    const wait = client.rest('POST', '/imgs?wait=true', images, { Prefer: 'wait=120' });
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const second = client.rest('POST', '/imgs/later?wait=true', { src }, { Prefer: 'wait=120' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    const letGo = setInterval(() => waiting.shift()?.(), 20);
    const answers = await Promise.all([wait, second]);
    clearInterval(letGo);
    for (const { status, body } of answers) {
      expect(status).toBeLessThanOrEqual(202);
      expect(status === 202 ? body.operation_id : body.num_total).toBeGreaterThan(0);
    }
    expect(answers[1]?.status).toBe(202);
    expect(await ended).toBe(0);
  });

  it(
    'a body that arrives too slowly is refused before the process ends, in bounded time',
    { ...full, timeout: 90_000 },
    async () => {
      const { child, ended, url, output } = await startHere();
      const slow = await openWire(url);
      slow.write(`${head('POST /imgs/slow', 'Content-Length: 100000')}{"src":"`);
      const sending = setInterval(() => slow.write('x'), 300);
      await new Promise((resolve) => setTimeout(resolve, 600));
      const began = performance.now();
      child.kill('SIGTERM');
      const [refused] = await slow.ended;
      clearInterval(sending);
      expect([refused?.status, refused?.headers['connection']]).toEqual([503, 'close']);
      expect(JSON.parse(refused?.body ?? '')).toMatchObject({ code: 'unavailable' });
      expect(await ended).toBe(0);
      expect(performance.now() - began).toBeLessThan(40_000);
      expect(output()).not.toContain('a request failed');
    },
  );

  it('a pipelined request that comes too late is refused', full, async () => {
    const { child, ended, url } = await startHere();
    const wire = await openWire(url);
    const src = slowUrl('c.jpg');
    const body = JSON.stringify({ src });
    wire.write(`${head('POST /imgs/a?wait=true', `Content-Length: ${body.length}`)}${body}`);
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(1);
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    wire.write(head('GET /me'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    waiting.shift()?.();
    const statuses = (await wire.ended).map(({ status }) => status);
    expect(statuses[0]).toBe(200);
    expect(statuses.slice(1).every((status) => status === 503)).toBe(true);
    expect(await ended).toBe(0);
    await expect(exchange(url, head('GET /me'))).rejects.toThrow('ECONNREFUSED');
  });

  it(
    'connections on which nothing was asked, and readers who do not read, delay the end by no more than a moment',
    full,
    async () => {
      const { child, ended, url, output } = await startHere();
      const silent = await openWire(url);
      const half = await openWire(url);
      half.write('GET /health HTTP/1.1\r\nHost:');
      const reader = await openWire(url);
      reader.socket.pause();
      reader.write(head('GET /graphql?query={__typename}', 'Accept: text/event-stream'));
      for (const { socket } of [silent, half, reader]) socket.on('error', () => {});
      await new Promise((resolve) => setTimeout(resolve, 200));
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000); // Half of what running work may take.
      expect(await ended).toBe(0);
      clearTimeout(late);
      expect(output()).not.toContain('ERR');
    },
  );

  it('the log says what the end waits for', full, async () => {
    const { child, ended, url, output } = await startHere();
    const src = slowUrl('d.jpg');
    const body = JSON.stringify({ src });
    const wire = await openWire(url);
    wire.write(
      `${head('POST /imgs/a?wait=true', 'X-Request-Id: waited-for', `Content-Length: ${body.length}`)}${body}`,
    );
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(1);
    child.kill('SIGTERM');
    await expect.poll(output, { timeout: 15_000 }).toContain('"msg":"stopping"');
    const line =
      output()
        .split('\n')
        .find((each) => each.includes('"msg":"stopping"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      waitsFor: 'work',
      connections: 1,
      requests: [{ requestId: 'waited-for', method: 'POST', path: '/imgs/a' }],
    });
    waiting.shift()?.();
    expect(await ended).toBe(0);
  });
});
