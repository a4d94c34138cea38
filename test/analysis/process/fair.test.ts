import { setMaxListeners } from 'node:events';
import process from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { heavyPng, plain } from '../../support/hostile-pictures.ts';
import { faultyAnalysisProcess, analysisProcesses } from '../../support/analysis-processes.ts';
import { builtinAnalyzerOpener } from '../../support/builtin-analyzers.ts';
import { endSharedAnalyzer } from '../../support/shared-analyzer.ts';
import { full } from '../../support/effort.ts';

const logger = createLogger('silent');
const open = builtinAnalyzerOpener();
beforeAll(endSharedAnalyzer);

describe('forty pictures of 83 megapixels that are less than a megabyte each', () => {
  const bomb = heavyPng(9_100);

  it.each([
    ['stored', false],
    ['sent to be analyzed', true],
  ])('do not hold up a small one of another owner, when both are %s', full, async (_what, isUrgent) => {
    const builtinAnalyzer = open({ threads: 2, logger });
    const small = await plain('jpeg');
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    let decoded = 0;
    const bombs = Array.from({ length: 40 }, async () => {
      await builtinAnalyzer.analyze({ bytes: bomb, want: ['pdq'], owner: 1, isUrgent, signal: leaving.signal });
      decoded += 1;
    });
    await builtinAnalyzer.analyze({ bytes: small, want: ['pdq'], owner: 2, isUrgent });
    expect(decoded).toBeLessThan(3);
    leaving.abort(new Error('enough'));
    await Promise.allSettled(bombs);
  });

  it('take the memory of one, where no more is given', full, async () => {
    const builtinAnalyzer = open({ threads: 4, logger, decodeMemory: 256 * 2 ** 20 });
    const leaving = new AbortController();
    const signal = leaving.signal;
    const bombs = [false, true].flatMap((isUrgent) =>
      Array.from({ length: 3 }, (_, owner) =>
        builtinAnalyzer.analyze({ bytes: bomb, want: [], owner, isUrgent, signal }),
      ),
    );
    const counts: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      counts.push(analysisProcesses().length);
    }
    expect(Math.max(...counts)).toBe(1);
    leaving.abort(new Error('enough'));
    await Promise.allSettled(bombs);
  });
});

describe('decoding that takes too long', () => {
  it('is stopped: its process ends, and the picture fails', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, undefined, { decodeSeconds: 0.3 });
    await expect(builtinAnalyzer.analyze({ bytes: heavyPng(9_100), want: ['pdq'] })).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'decoding the picture took more than 0.3 s',
    });
    await expect.poll(() => analysisProcesses()).toEqual([]);
  });

  it('is stopped when nobody waits for it any more', async () => {
    const builtinAnalyzer = open({ threads: 1, logger });
    const leaving = new AbortController();
    const leaver = builtinAnalyzer.analyze({ bytes: heavyPng(9_100), want: [], signal: leaving.signal });
    await expect.poll(() => analysisProcesses().length, { timeout: 10_000 }).toBe(1);
    leaving.abort(new Error('enough'));
    await expect(leaver).rejects.toThrow('enough');
    await expect.poll(() => analysisProcesses(), { timeout: 2_000 }).toEqual([]);
  });

  it('costs no other picture: those of the same process are repeated in the next one', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faultyAnalysisProcess);
    const ask = (what: string) => builtinAnalyzer.analyze({ bytes: Buffer.from(what), want: [] });
    const before = await ask('well');
    const beside = [ask('slow'), ask('slow')];
    await expect(ask('stuck')).rejects.toMatchObject({ code: 'decode_failed', message: 'it never ends' });
    const after = await Promise.all(beside);
    const [first, second] = after.map(({ image }) => image.width);
    expect(first).toBe(second);
    expect(first).not.toBe(before.image.width);
  });
});

describe('what somebody waits for', () => {
  it.runIf(process.platform === 'linux')('is done beside what is stored, not behind it', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faultyAnalysisProcess);
    const stored = await builtinAnalyzer.analyze({ bytes: Buffer.from('well'), want: [] });
    const endless = builtinAnalyzer.analyze({ bytes: Buffer.from('endless'), want: [] });
    const urgent = await builtinAnalyzer.analyze({ bytes: Buffer.from('well'), want: [], isUrgent: true });
    expect(urgent.image.width).not.toBe(stored.image.width);
    await builtinAnalyzer.close();
    await expect(endless).rejects.toThrow('ended');
  });

  it('of one owner goes on while another has sent a hundred', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faultyAnalysisProcess);
    const ask = (what: string, owner: number) =>
      builtinAnalyzer.analyze({ bytes: Buffer.from(what), want: [], owner, isUrgent: true });
    let done = 0;
    const many = Array.from({ length: 40 }, () => ask('slow', 1).then(() => (done += 1)));
    await ask('well', 2);
    expect(done).toBe(0);
    await builtinAnalyzer.close();
    await Promise.allSettled(many);
  });

  it('is refused where too much of one owner waits already', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faultyAnalysisProcess);
    const ask = () => builtinAnalyzer.analyze({ bytes: Buffer.from('endless'), want: [], owner: 1, isUrgent: true });
    const many = Array.from({ length: 100 }, () => ask().catch((error: unknown) => error));
    await expect(Promise.race(many)).resolves.toMatchObject({ code: 'unavailable' });
    await builtinAnalyzer.close();
    await Promise.all(many);
  });
});
