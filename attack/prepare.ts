import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './exchange.ts';
import { form, formPart, multipartType } from './request.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

const pictures = ['allium-oreophilum.jpg', 'french-alpine-landscape.jpg', 'nagasaki-boats.jpg'];
/** How long what an exchange left behind may take to end before the next is measured. */
const settleMs = 15_000;
const pauseMs = 30;
const timeoutMs = 10_000;
/** Every output of `POST /tag/image`; each loads models of its own. */
export const tagOutputs = ['caption', 'keywords', 'ocr', 'colors'] as const;
/** A first analysis starts its process and loads its models. */
const warmUpMs = 60_000;

/** Stores real pictures for the attacker, and says whom to attack. */
export async function prepareTarget(world: World, { port }: Service): Promise<Target> {
  const body = JSON.stringify(pictures.map((name, i) => ({ id: `picture-${i}`, src_path: name })));
  const headers = { 'API-Key': world.keys.editor, 'Content-Type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/imgs?wait=true&lang=en`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`the pictures were not stored: ${answer.status} ${await answer.text()}`);
  const { operation_id: operation } = (await answer.json()) as { operation_id: number };
  const { keys, environmentKey, pictures: files } = world;
  return { host: '127.0.0.1', port, keys, environmentKey, operation: String(operation), pictures: files };
}

/**
 * Makes the service start its analysis process and load all models, on all threads: memory that any tenant's first
 * picture takes, so it belongs to the service at rest.
 *
 * @throws Error when a picture is not tagged.
 */
export async function warmUp({
  host,
  port,
  keys,
  pictures,
}: Pick<Target, 'host' | 'port' | 'keys' | 'pictures'>): Promise<void> {
  const outputs = tagOutputs.map((name) => formPart(name, 'true'));
  const body = Uint8Array.from(form(formPart('image', readFileSync(pictures.small), 'small.jpg'), ...outputs));
  const headers = { 'API-Key': keys.tagger, 'Content-Type': multipartType };
  const tag = async () => {
    const signal = AbortSignal.timeout(warmUpMs);
    const answer = await fetch(`http://${host}:${port}/tag/image`, { method: 'POST', headers, body, signal });
    const said = await answer.text();
    if (answer.status !== 200) throw new Error(`the service was not warmed up: ${answer.status} ${said}`);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, tag));
}

/** Waits until the attacker's operations have ended, which are aborted, and requests are answered; for a bounded time. */
export async function settle({ host, port, keys }: Target): Promise<void> {
  const until = performance.now() + settleMs;
  while (performance.now() < until && !(await abortOperations(`http://${host}:${port}`, keys.admin))) await sleep(100);
  await sleep(pauseMs);
}

/** @returns whether there was none; false while nobody answers. */
async function abortOperations(url: string, key: string): Promise<boolean> {
  const headers = { 'API-Key': key };
  const ask = async (method: string, path: string) => {
    const answer = await fetch(url + path, { method, headers, signal: AbortSignal.timeout(timeoutMs) });
    return answer.json();
  };
  try {
    const open = (await ask('GET', '/ops?is_finished=false&limit=20')) as { operation_id: number }[];
    for (const { operation_id: id } of open) await ask('DELETE', `/ops/${id}`);
    return open.length === 0;
  } catch {
    return false;
  }
}
