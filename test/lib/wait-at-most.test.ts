import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { waitAtMost } from '../../src/lib/wait-at-most.ts';

describe('a wait that has a limit', () => {
  it('gives the answer, or its fault', async () => {
    expect(await waitAtMost(1000, Promise.resolve('ready'))).toBe('ready');
    await expect(waitAtMost(1000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('ends at the limit, also if the answer fails later', async () => {
    const failing = sleep(20).then(() => Promise.reject(new Error('refused')));
    await expect(waitAtMost(5, failing)).rejects.toThrow('no answer within 0.005 s');
    await sleep(30);
  });
});
