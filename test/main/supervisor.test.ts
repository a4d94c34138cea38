import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { openWire } from '../support/raw.ts';
import { openSlowServer } from '../support/slow-server.ts';
import { newDataFolder } from '../support/data-folder.ts';
import { newFolder, run, serverPid, start, stop } from '../support/program.ts';
import type { Run } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';
import { firstOf, full } from '../support/effort.ts';

const key = 'a-key-of-the-operator-0001';
const NODE_OPTIONS = `--import ${pathToFileURL(join(packageRoot, 'test', 'support', 'crashing.js')).href}`;
const { waiting, url: slowUrl } = openSlowServer();

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

async function startHere(): Promise<Run & { url: string; DATA_DIR: string; client: Client }> {
  const DATA_DIR = newDataFolder();
  const environment = { DATA_DIR, NODE_OPTIONS, PORT: await freePort(), ADMIN_API_KEY: key };
  const started = await start({ ...environment, SOURCE_ALLOW: '127.0.0.0/8', WORKERS: '1' });
  return { ...started, DATA_DIR, client: createClient(started.url, key) };
}

const answers = async (url: string) => (await fetch(`${url}/ready`).catch(() => null))?.status ?? null;
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
const logged = ({ output }: Run) =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

type Watched = Awaited<ReturnType<typeof startHere>>;

/** Waits until another process serves at the same address. */
async function isBack({ url, DATA_DIR }: Watched, before: number): Promise<void> {
  await expect.poll(() => isAlive(before), { timeout: 20_000 }).toBe(false);
  await expect.poll(() => answers(url), { timeout: 60_000 }).toBe(200);
  expect(serverPid(DATA_DIR)).not.toBe(before);
}

/** Kills the service with a write that it has accepted, which ends all the same. */
async function kill(service: Watched, signal: string): Promise<void> {
  const { client, DATA_DIR } = service;
  const accepted = await client.rest('POST', '/imgs/x', { src: 'http://127.0.0.1:9/x.jpg' });
  expect(accepted.status).toBe(202);
  const before = serverPid(DATA_DIR);
  process.kill(before, signal);
  await isBack(service, before);
  const path = `/ops/${accepted.body.operation_id}`;
  await expect.poll(async () => (await client.rest('GET', path)).body.is_finished, { timeout: 20_000 }).toBe(true);
  expect(logged(service)).toContainEqual(
    expect.objectContaining({ level: 50, signal, msg: expect.stringContaining(`by signal ${signal}`) }),
  );
}

/** Makes the service fail while a request is under way, which its log names. */
async function fail(service: Watched, [signal, origin, message]: readonly [string, string, string]): Promise<void> {
  const { url, DATA_DIR } = service;
  const body = JSON.stringify({ src: slowUrl('a.jpg') });
  const wire = await openWire(url);
  wire.socket.on('error', () => {});
  wire.write(
    `POST /imgs/slow?wait=true HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\nX-Request-Id: the-one-under-way\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(1);
  const before = serverPid(DATA_DIR);
  process.kill(before, signal);
  await isBack(service, before);
  const requests = [
    { requestId: 'the-one-under-way', method: 'POST', path: '/imgs/slow', seconds: expect.any(Number) },
  ];
  const reported = logged(service);
  expect(reported).toContainEqual(
    expect.objectContaining({ level: 60, origin, error: expect.stringContaining(message), requests }),
  );
  expect(reported).toContainEqual(expect.objectContaining({ code: 70, msg: expect.stringContaining('with code 70') }));
}

const faults = [
  ['SIGUSR2', 'uncaughtException', 'thrown by the test'],
  ['SIGWINCH', 'unhandledRejection', 'rejected by the test'],
] as const;

describe('a service that crashes', () => {
  it('is back by itself at its port with what it had accepted, names what was under way, and ends when it is asked to', async () => {
    const service = await startHere();
    for (const signal of firstOf(1, ['SIGKILL', 'SIGSEGV', 'SIGABRT'])) await kill(service, signal);
    await fail(service, faults[0]);
    for (const release of waiting.splice(0)) release();
    expect(await stop(service)).toBe(0);
  }, 120_000);

  it('names what was under way when a rejection was not awaited', full, async () => {
    const service = await startHere();
    await fail(service, faults[1]);
    for (const release of waiting.splice(0)) release();
    expect(await stop(service)).toBe(0);
  });

  it('is given up when it never was ready, with the code of its end', full, async () => {
    const service = run(['serve'], { NODE_OPTIONS, CRASHES_AT_ONCE: 'yes', DATA_DIR: newFolder(), PORT: '0' });
    expect(await service.ended).toBe(137);
    expect(service.output()).toContain('The service ended 5 times before it was ready. It is not restarted again.');
  });

  it('is not started again when its set-up is at fault', async () => {
    const service = run(['serve'], { PORT: 'many', DATA_DIR: newFolder() });
    expect(await service.ended).toBe(1);
    expect(service.output().match(/configuration error/g)).toHaveLength(1);
    expect(logged(service)).toEqual([]);
  });

  it('is not started again with --no-supervise', full, async () => {
    const DATA_DIR = newDataFolder();
    const service = run(['serve', '--no-supervise'], { DATA_DIR, PORT: '0', NODE_OPTIONS });
    await expect.poll(service.output, { timeout: 60_000 }).toContain('Vitrine is ready');
    expect(serverPid(DATA_DIR)).toBe(service.child.pid);
    service.child.kill('SIGUSR2');
    expect(await service.ended).toBe(70);
  });
});

describe('the process that watches over the service', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, and ends as the service does', full, async (signal) => {
    const service = await startHere();
    const pid = serverPid(service.DATA_DIR);
    expect(pid).not.toBe(service.child.pid);
    service.child.kill(signal);
    expect(await service.ended).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(service.output().match(/Stopping: waiting for running writes\./g)).toHaveLength(1);
    expect(logged(service).filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('ends with the service when only the service gets the signal', full, async () => {
    const service = await startHere();
    process.kill(serverPid(service.DATA_DIR), 'SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('takes the service along when it is killed, so that the next one can start at once', full, async () => {
    const first = await startHere();
    const pid = serverPid(first.DATA_DIR);
    first.child.kill('SIGKILL');
    const second = await start({ DATA_DIR: first.DATA_DIR, ADMIN_API_KEY: key, PORT: new URL(first.url).port });
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    expect((await createClient(second.url, key).rest('GET', '/me')).status).toBe(200);
    expect(await stop(second)).toBe(0);
  });

  it('ends the service when npm, which started it, is asked to end', full, async () => {
    const DATA_DIR = newDataFolder();
    const npm = spawn('npm', ['start'], {
      cwd: packageRoot,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    npm.stdout.on('data', (part) => (output += part));
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Vitrine is ready');
    const pid = serverPid(DATA_DIR);
    npm.kill('SIGTERM');
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });
});
