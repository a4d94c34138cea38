import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Threads } from '../../../src/analysis/process/threads.ts';
import type { AnalyzerTask } from '../../../src/analysis/process/worker.ts';
import { firstOf, full } from '../../support/effort.ts';

const threads = new Threads(1, { onnxRuntime: null }, join(import.meta.dirname, '../../support/faulty-thread.js'));
afterAll(() => threads.close());

/** The result is the number of the thread that worked. */
function run(name: string, maxSeconds = 30, signal = new AbortController().signal) {
  return threads.run({ name, view: {} } as unknown as AnalyzerTask, { signal, maxSeconds, owner: 1 });
}

describe('threads of analysis', () => {
  it.each(
    firstOf(2, [
      ['fails', 'throw', 'failed'],
      ['ends its thread', 'exit', 'crashed'],
      ['needs more memory than a thread may have', 'hoard', 'out_of_memory'],
    ]),
  )('name the fault of an analyzer that %s, and go on', async (_, name, code) => {
    await expect(run(name)).rejects.toMatchObject({ name: 'ThreadError', code });
    expect(await run('well')).toMatchObject({ milliseconds: 0 });
  });

  it('end an analyzer that hangs when its time is over, and go on in another thread', async () => {
    const { result: before } = await run('well');
    await expect(run('hang', 0.5)).rejects.toMatchObject({ code: 'timeout', message: 'took longer than 0.5 s' });
    expect((await run('well')).result).not.toBe(before);
  });

  it('count the time of a task from when a thread is free', full, async () => {
    const hanging = run('hang', 1);
    const waiting = run('well', 0.9);
    await expect(hanging).rejects.toMatchObject({ code: 'timeout' });
    await expect(waiting).resolves.toMatchObject({ milliseconds: 0 });
  });

  it('stop at once when they are closed', async () => {
    const controller = new AbortController();
    const hanging = run('hang', 60, controller.signal);
    const waiting = run('well', 60, controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(hanging).rejects.toThrow('enough');
    await expect(waiting).rejects.toThrow('enough');
    expect(await run('well')).toMatchObject({ milliseconds: 0 });
  });
});

describe('threads that give way', () => {
  const two = new Threads(2, { onnxRuntime: null }, join(import.meta.dirname, '../../support/faulty-thread.js'));
  afterAll(() => two.close());
  const run = (name: string) =>
    two.run({ name, view: {} } as unknown as AnalyzerTask, {
      signal: new AbortController().signal,
      maxSeconds: 1,
      owner: 1,
    });

  it('are half of them, and all again afterwards', full, async () => {
    const most = async () => {
      const tasks = ['hang', 'hang'].map((name) => run(name).catch(() => null));
      const { running } = two;
      await Promise.all(tasks);
      return running;
    };
    expect(await most()).toBe(2);
    two.giveWay(true);
    expect(await most()).toBe(1);
    two.giveWay(false);
    expect(await most()).toBe(2);
  });
});
