import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { heapFlags } from '../../src/lib/heap-flags.ts';

const limits = { youngMiB: 2, growth: 150 };

describe('flags for collecting garbage', () => {
  it('are known to the Node that runs this', () => {
    expect(execFileSync(process.execPath, [...heapFlags(limits), '-p', '1'], { encoding: 'utf8' })).toBe('1\n');
  });

  it.each(['20.19.0', '22.12.0', '24.0.0', '26.10.0'])('are two for Node %s', (node) => {
    expect(heapFlags(limits, node)).toEqual(['--max-semi-space-size=2', '--heap-growing-percent=150']);
  });

  it('leave out what a newer Node may not know', () => {
    expect(heapFlags(limits, '27.0.0')).toEqual(['--max-semi-space-size=2']);
  });
});
