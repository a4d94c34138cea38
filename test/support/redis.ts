import { findRedisServer } from '../../chaos/redis.ts';

/** Why tests with a real Redis are skipped, or false; part of their titles. */
export const noRedis: string | false = findRedisServer() === null ? 'skipped: redis-server is not on PATH' : false;

export const redisNote = noRedis === false ? '' : ` (${noRedis})`;
