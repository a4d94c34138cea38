import { expect, it } from 'vitest';
import { runChaos } from '../../chaos/run.ts';

const seed = Math.floor(Math.random() * 1e6);

it(`loses and repeats nothing when its processes are killed at random (seed ${seed})`, async () => {
  const options = { kills: 6, seed, tenants: 3, apis: 1, workers: 2, maxSize: 600 };
  const verdict = await runChaos(options);
  expect(verdict.faults).toEqual([]);
  expect(verdict.operations).toBeGreaterThan(0);
}, 240_000);
