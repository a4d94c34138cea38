import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openWorld } from '../../support/world.ts';
import { finished, heldNetwork, holdSource, send } from '../support.ts';

describe('a client that hangs up while it waits', () => {
  it('does not cancel its operation', async () => {
    const world = await openWorld({ sourceAllow: heldNetwork });
    const own = await world.client();
    const held = await holdSource();
    const body = JSON.stringify({ src: held.url });
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    const head = [
      'POST /imgs/kept?wait=true HTTP/1.1',
      'Host: localhost',
      `API-Key: ${own.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await held.asked;
    socket.destroy();
    const [running] = (await own.rest('GET', '/ops')).body;
    expect(running).toMatchObject({ is_started: true, is_finished: false, do_wait: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const later = (await own.rest('GET', `/ops/${running.operation_id}`)).body;
    expect(later.exec_ms).toBeGreaterThanOrEqual(running.exec_ms + 50);
    expect(later.idle_ms).toBe(running.idle_ms);
    held.release();
    expect(await finished(own, running.operation_id)).toMatchObject({ num_good: 1, is_aborted: false });
    expect((await own.rest('GET', '/imgs/kept')).status).toBe(200);
    await held.close();
    await world.close();
  });
});

describe('the times of an operation', () => {
  it('run on while it waits', async () => {
    const idle = await openWorld({ worker: false });
    const client = await idle.client();
    const id = await send(client, 'DELETE', '/imgs/a');
    const record = async () => (await client.rest('GET', `/ops/${id}`)).body;
    const first = await record();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await record();
    expect(second.idle_ms).toBeGreaterThanOrEqual(first.idle_ms + 50);
    expect([first.exec_ms, second.exec_ms]).toEqual([0, 0]);
    await idle.close();
  });
});
