import { describe } from 'vitest';
import { findRedisServer } from '../../chaos/redis.ts';

const isThere = findRedisServer() !== null;

/** Describes what needs a real Redis; says so where there is none. */
export function describeWithRedis(title: string, tests: () => void): void {
  if (isThere) describe(title, tests);
  else describe.skip(`${title} (skipped: redis-server is not on PATH)`, tests);
}
