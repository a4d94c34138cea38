import { Vitrine } from '../clients/typescript/src/index.ts';
import { interleaved, ratio, report } from './measure.ts';
import { startServer } from './processes.ts';
import type { World } from './world.ts';

/** The first round warms up and is not counted. */
const rounds = 7;
const requests = 3000;
const parallel = 8;

/** Reading one record with the TypeScript client, compared with plain `fetch`. */
export async function benchClient(world: World): Promise<void> {
  const service = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], world.environment);
  const vitrine = new Vitrine({ url: service.url, key: world.key });
  const headers = { 'API-Key': world.key };
  const id = (index: number) => `image-${1 + ((index * 7919) % world.records)}`;
  const one = await interleaved(rounds, {
    bare: () => perSecond(async (index) => (await fetch(`${service.url}/imgs/${id(index)}`, { headers })).json()),
    client: () => perSecond((index) => vitrine.images.get(id(index))),
  });
  const figures = `${Math.round(one.client)}/s, bare fetch ${Math.round(one.bare)}/s`;
  report('TypeScript client: images.get(id)', ratio(one.client, one.bare), '≥ 0.9 ×', figures);
  await service.stop();
}

/** Requests per second, several at a time. */
async function perSecond(read: (index: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const readers = Array.from({ length: parallel }, async () => {
    while (next < requests) await read((next += 1));
  });
  await Promise.all(readers);
  return (requests * 1000) / (performance.now() - start);
}
