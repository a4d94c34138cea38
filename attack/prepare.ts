import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './exchange.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

const pictures = ['allium-oreophilum.jpg', 'french-alpine-landscape.jpg', 'nagasaki-boats.jpg'];
/** How long what an exchange left behind may take to end before the next is measured. */
const settleMs = 15_000;
const pauseMs = 30;
const timeoutMs = 10_000;

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
