import { describe, expect, it } from 'vitest';
import { runChaos } from '../../chaos/run.ts';
import { noRedis, redisNote } from '../support/redis.ts';
import { full } from '../support/effort.ts';

const seed = Math.floor(Math.random() * 1e6);

it(`loses and repeats nothing when its processes are killed at random (seed ${seed})`, full, async () => {
  const options = { kills: 6, seed, tenants: 3, apis: 1, workers: 2, maxSize: 600, hasRedis: false };
  const verdict = await runChaos(options);
  expect(verdict.faults).toEqual([]);
  expect(verdict.operations).toBeGreaterThan(0);
});

describe.skipIf(noRedis)(`two processes of each role with a Redis that is emptied and killed${redisNote}`, () => {
  it(`lose and repeat nothing (seed ${seed})`, full, async () => {
    const options = { kills: 8, seed, tenants: 3, apis: 2, workers: 2, maxSize: 600, hasRedis: true };
    const verdict = await runChaos(options);
    expect(verdict.faults).toEqual([]);
    expect(verdict.operations).toBeGreaterThan(0);
  });
});
