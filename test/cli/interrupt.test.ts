import process from 'node:process';
import { expect, it } from 'vitest';
import { interruptible, InterruptedError } from '../../src/cli/interrupt.ts';

it('work that ends because it is interrupted is no bug, but a fault of its own stays one', async () => {
  const ended = (end: (signal: AbortSignal) => void) =>
    interruptible(async (signal) => {
      process.emit('SIGINT');
      end(signal);
    });
  await expect(ended((signal) => signal.throwIfAborted())).rejects.toThrow(InterruptedError);
  const fault = () => {
    throw new TypeError('a fault');
  };
  await expect(ended(fault)).rejects.toThrow(TypeError);
});
