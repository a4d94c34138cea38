import process from 'node:process';
import { expect, it, vi } from 'vitest';
import { interruptible, InterruptedError } from '../../src/cli/interrupt.ts';
import { endWithFault } from '../../src/cli/run-command.ts';
import { SetupError } from '../../src/lib/errors.ts';

it('work that ends because it is interrupted is no bug, but a fault of its own stays one', async () => {
  const ended = async (end: (signal: AbortSignal) => void) => {
    // What other files left in this process must not end it.
    const others = process.listeners('SIGINT');
    process.removeAllListeners('SIGINT');
    try {
      await interruptible(async (signal) => {
        process.emit('SIGINT');
        end(signal);
      });
    } finally {
      for (const each of others) process.on('SIGINT', each);
    }
  };
  await expect(ended((signal) => signal.throwIfAborted())).rejects.toThrow(InterruptedError);
  const fault = () => {
    throw new TypeError('a fault');
  };
  await expect(ended(fault)).rejects.toThrow(TypeError);
});

it.each([
  ['a terminal shows the fault of a command in place of its progress', true, '\r\u001B[KNo folder.\n'],
  ['elsewhere the fault of a command is a line', false, 'No folder.\n'],
])('%s', async (_, isTTY, text) => {
  const { stderr, exitCode } = process;
  const [written, { isTTY: usual }] = [vi.spyOn(stderr, 'write').mockReturnValue(true), stderr];
  try {
    stderr.isTTY = isTTY;
    await endWithFault(new SetupError('No folder.'), ['tag']);
    expect(written.mock.calls).toEqual([[text]]);
  } finally {
    written.mockRestore();
    stderr.isTTY = usual;
    process.exitCode = exitCode;
  }
});
