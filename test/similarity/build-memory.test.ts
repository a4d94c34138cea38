import { describe, expect, it } from 'vitest';
import { buildMemoryFor } from '../../src/similarity/database/build-memory.ts';

const [MiB, GiB] = [2 ** 20, 2 ** 30];

describe('the memory for building an index of vectors', () => {
  it.each([
    { images: 10_000, allowed: 16 * MiB, bytes: 64 * MiB, isEnough: true },
    { images: 500_000, allowed: 64 * MiB, bytes: 528_000_000, isEnough: true },
    { images: 10_000_000, allowed: 64 * MiB, bytes: GiB, isEnough: false },
    { images: 10_000_000, allowed: 11 * GiB, bytes: 11 * GiB, isEnough: true },
    { images: 10_000_000, allowed: 2 * GiB, bytes: 2 * GiB, isEnough: false },
  ])('is $bytes bytes for $images images where $allowed are allowed', ({ images, allowed, bytes, isEnough }) => {
    const memory = buildMemoryFor(images, { dimensions: 128, allowed });
    expect(memory.bytes).toBe(bytes);
    expect(memory.bytes >= memory.needed).toBe(isEnough);
  });
});
