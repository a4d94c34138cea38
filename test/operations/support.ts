import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { expect, vi } from 'vitest';
import type { Answer, Client, SharedWorld } from '../support/world.ts';

/** Sends a write without waiting for it; returns the number of its operation. */
export async function send(client: Client, method: string, path: string, body?: unknown): Promise<number> {
  const answer = await client.rest(method, path, body);
  expect([answer.status, answer.body.operation_id]).toEqual([202, expect.any(Number)]);
  return answer.body.operation_id as number;
}

/** The record of an operation as it is now. */
export async function operation(client: Client, id: number): Promise<Answer['body']> {
  const answer = await client.rest('GET', `/ops/${id}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Polls an operation until its record has these values, and returns the record. */
export async function until(client: Client, id: number, values: object, timeout = 40_000): Promise<Answer['body']> {
  return vi.waitFor(
    async () => {
      const record = await operation(client, id);
      expect(record).toMatchObject(values);
      return record;
    },
    { timeout, interval: 20 },
  );
}

export const finished = (client: Client, id: number, timeout?: number): Promise<Answer['body']> =>
  until(client, id, { is_finished: true }, timeout);

/** The number that the database has for a client's tenant. */
export async function tenantIdOf({ backing }: SharedWorld, client: Client): Promise<number> {
  const { body } = await client.rest('GET', '/me');
  return (await backing.database.prisma.tenant.findUniqueOrThrow({ where: { name: body.tenant } })).id;
}

/** A picture on the web that is not sent before `release()`: it holds a worker for as long as a test needs. */
export type HeldSource = Readonly<{
  url: string;
  /** Resolves when the worker has asked for the picture. */
  asked: Promise<void>;
  release(): void;
  close(): Promise<void>;
}>;

export async function holdSource(): Promise<HeldSource> {
  const picture = await sharp({ create: { width: 4, height: 3, channels: 3, background: 'navy' } })
    .png()
    .toBuffer();
  let release = () => {};
  let ask = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const server = createServer((_request, response) => {
    ask();
    void released.then(() => response.writeHead(200, { 'Content-Type': 'image/png' }).end(picture));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/held.png`,
    asked,
    release,
    async close() {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Network that held sources live in; worlds that use them must allow it. */
export const heldNetwork = '127.0.0.0/8';
