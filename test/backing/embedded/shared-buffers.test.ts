import { describe, expect, it } from 'vitest';
import { sharedBuffers } from '../../../src/backing/embedded/shared-buffers.ts';

const gibibyte = 2 ** 30;

describe('shared_buffers of the embedded PostgreSQL', () => {
  it.each([
    [0.5, 128],
    [2, 128],
    [4, 256],
    [8, 512],
    [24, 1024],
    [512, 1024],
  ])('on a machine of %d GiB are %d MiB', (memory, expected) => {
    expect(sharedBuffers(memory * gibibyte)).toBe(expected);
  });

  it('are within these limits on this machine', () => {
    expect(sharedBuffers()).toBeGreaterThanOrEqual(128);
    expect(sharedBuffers()).toBeLessThanOrEqual(1024);
  });
});
