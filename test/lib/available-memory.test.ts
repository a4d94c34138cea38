import { describe, expect, it } from 'vitest';
import { availableMemory } from '../../src/lib/available-memory.ts';

const gibibyte = 2 ** 30;

describe('the memory that a process may use', () => {
  it.each([
    ['without a container', 0, 8 * gibibyte],
    ['in a container of 2 GiB', 2 * gibibyte, 2 * gibibyte],
    ['in a container without a limit', 2 ** 64, 8 * gibibyte],
  ])('%s is known', (_, limit, expected) => {
    expect(availableMemory(limit, 8 * gibibyte)).toBe(expected);
  });
});
