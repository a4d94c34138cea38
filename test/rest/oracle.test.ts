import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import { differenceOf, sendRaw } from '../support/oracle/compare.ts';
import { misunderstood } from '../support/oracle/parsed.ts';
import { openOracle, oracleKey, reasonWithoutOracle } from '../support/oracle/process.ts';
import type { Oracle } from '../support/oracle/process.ts';
import { isContracts, oddRequestsTo } from '../support/oracle/requests.ts';
import type { OddRequest } from '../support/oracle/requests.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

/** ORACLE_RUNS=2000 ORACLE_SEED=7 looks further; the same numbers send the same requests. */
const runs = Number(process.env['ORACLE_RUNS'] ?? 30);
const seed = Number(process.env['ORACLE_SEED'] ?? 1);

const reason = reasonWithoutOracle();
let world: World;
let key: string;
let oracle: Oracle;

beforeAll(async () => {
  if (reason !== null) return;
  [world, oracle] = await Promise.all([openWorld({ worker: false }), openOracle()]);
  key = (await world.client()).key;
});
afterAll(async () => {
  await oracle?.close();
  await world?.close();
});

/** What the recorded application says to what the request means here: redirects are followed, HEAD is GET. */
async function askOracle(request: OddRequest) {
  const isTyped = request.headers.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = isTyped ? request.headers : [...request.headers, ['Content-Type', 'application/json'] as const];
  let asked: OddRequest = { ...request, headers, method: request.method === 'HEAD' ? 'GET' : request.method };
  for (let redirects = 0; redirects < 5; redirects += 1) {
    const reply = await sendRaw(oracle.url, oracleKey, asked);
    if (reply?.status !== 307) return reply;
    asked = { ...asked, target: (reply.headers['location'] ?? '').replace(/^http:\/\/localhost/, '') };
  }
  throw new Error(`no end of redirects: ${request.target}`);
}

async function readSignature(request: OddRequest): Promise<string[]> {
  const [recorded, ours] = await Promise.all([askOracle(request), sendRaw(world.url, key, request)]);
  const difference =
    ours === null || recorded === null
      ? `no answer${recorded === null ? ' of the recorded application' : ''}`
      : (differenceOf(request, recorded, ours) ?? (await misunderstood(request, recorded)));
  if (difference === null) return [];
  const { method, target, headers, body } = request;
  return [
    `${method} ${target.slice(0, 400)} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString().slice(0, 600))}\n ${difference}`,
  ];
}

const table = endpoints
  .filter(isContracts)
  .map((endpoint, place) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint, place }));

describe.skipIf(reason !== null)('the application of the recordings, asked anything', () => {
  it.each(table)('is answered alike: $name', { timeout: 600_000 }, async ({ endpoint, place }) => {
    const requests = fc.sample(oddRequestsTo(endpoint), { numRuns: runs, seed: seed * 1000 + place });
    const found: string[] = [];
    const next = requests.values();
    const work = async () => {
      for (const request of next) found.push(...(await readSignature(request)));
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(found).toEqual([]);
  });
});
