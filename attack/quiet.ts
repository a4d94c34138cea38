// A process of its own: the quiet tenant. Its requests begin by the clock, so that one that hangs does not hide those
// that would have come after it.
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured, ToQuiet } from './messages.ts';
import { form, formPart, multipartType } from './request.ts';

const readEveryMs = 50;
const tagEveryMs = 1_000;
/** A request that takes longer counts as so long. */
const maxMs = 60_000;
/** Requests under way; beyond them none is begun. */
const maxOpen = 100;

const reads = ['/imgs/image-7', '/imgs?limit=50', '/imgs?limit=1&count=true&q=city:"City 12"'] as const;

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToQuiet) => void measure(message).then((measured) => process.send?.(measured)));

type Sent = Readonly<{ method: string; path: string; headers: Record<string, string>; body?: Buffer }>;

async function measure({ port, key, ms, picture }: ToQuiet): Promise<Measured> {
  const agent = new Agent({ keepAlive: true });
  const measured: { reads: number[]; tags: number[]; failures: Record<string, number> } = {
    reads: [],
    tags: [],
    failures: {},
  };
  const headers = { 'API-Key': key };
  const body = form(
    formPart('image', readFileSync(picture), 'small.jpg'),
    formPart('colors', 'true'),
    formPart('keywords', 'true'),
  );
  const tag = { method: 'POST', path: '/tag/image', headers: { ...headers, 'Content-Type': multipartType }, body };
  const end = performance.now() + ms;
  const open = new Set<Promise<void>>();
  const start = (into: number[], sent: Sent) => {
    const running = timed(agent, port, sent).then(({ took, failure }) => {
      into.push(took);
      if (failure !== null) measured.failures[failure] = (measured.failures[failure] ?? 0) + 1;
      open.delete(running);
    });
    open.add(running);
  };
  for (let n = 0, next = performance.now(); next < end; n += 1, next += readEveryMs) {
    await sleep(Math.max(0, next - performance.now()));
    if (open.size >= maxOpen) continue;
    start(measured.reads, { method: 'GET', path: encodeURI(reads[n % reads.length] ?? ''), headers });
    if (n % (tagEveryMs / readEveryMs) === 0) start(measured.tags, tag);
  }
  await Promise.all(open);
  agent.destroy();
  return measured;
}

function timed(agent: Agent, port: number, sent: Sent): Promise<{ took: number; failure: string | null }> {
  const { body, ...options } = sent;
  const began = performance.now();
  return new Promise((resolve) => {
    const finish = (failure: string | null) => {
      const took = performance.now() - began;
      resolve({ took: failure === null ? took : Math.max(took, maxMs), failure });
    };
    const outgoing = httpRequest({ agent, port, host: '127.0.0.1', timeout: maxMs, ...options }, (response) => {
      response.resume();
      response.once('error', () => finish('a reply was cut off'));
      response.once('end', () =>
        finish(response.statusCode === 200 ? null : `${options.method} ${options.path} was ${response.statusCode}`),
      );
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.once('error', (error) => finish(`${options.method} ${options.path}: ${error.message}`));
    outgoing.end(body);
  });
}
