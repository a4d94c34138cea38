import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { decodeSeconds, leftoverNiceness, niceness } from '../../../src/analysis/limits.ts';
import { AnalysisProcess } from '../../../src/analysis/process/ask.ts';
import { analysisFlags } from '../../../src/analysis/process/flags.ts';
import type { PictureProcessSettings } from '../../../src/analysis/process/messages.ts';
import type { BuiltinAnalyzer } from '../../../src/analysis/index.ts';
import { analysisProcesses, faultyAnalysisProcess as faulty } from '../../support/analysis-processes.ts';
import { builtinAnalyzerOpener } from '../../support/builtin-analyzers.ts';
import { full } from '../../support/effort.ts';
import { jpeg } from '../../support/hostile-pictures.ts';

const logger = createLogger('silent');
const photograph = join(import.meta.dirname, '../../../examples/pictures/airplane-from-above.jpg');
const open = builtinAnalyzerOpener();
/** Processes that this file starts with this folder; those that other files share are left alone. */
const tessdataDir = mkdtempSync(join(tmpdir(), 'vitrine-process-'));
const ownProcesses = () => analysisProcesses(process.pid, tessdataDir);

describe('an analysis process that ends', () => {
  const look = (builtinAnalyzer: BuiltinAnalyzer, what: string, signal?: AbortSignal) =>
    builtinAnalyzer.analyze({ bytes: Buffer.from(what), want: [], ...(signal && { signal }) });

  it('fails the picture that ends it; those beside it are analyzed again', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faulty);
    const { image: first } = await look(builtinAnalyzer, 'well');
    const beside = look(builtinAnalyzer, 'slow');
    await expect(look(builtinAnalyzer, 'deadly')).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'the picture crashes the analysis process',
    });
    const { image: second } = await beside;
    expect(second.width).not.toBe(first.width);
  });

  it('keeps nobody who has left', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faulty);
    const leaving = new AbortController();
    const endless = look(builtinAnalyzer, 'endless', leaving.signal);
    await look(builtinAnalyzer, 'well');
    leaving.abort(new Error('enough'));
    await expect(endless).rejects.toThrow('enough');
  });

  it('before it was ready is no picture’s fault', async () => {
    const builtinAnalyzer = open({ threads: 1, tessdataDir: 'nowhere', logger }, faulty, {
      idleMs: 30_000,
      startPausesMs: [10],
    });
    await expect(look(builtinAnalyzer, 'well')).rejects.toThrow('the analysis process cannot start');
    await expect(look(builtinAnalyzer, 'well')).rejects.not.toHaveProperty('code');
    const urgent = builtinAnalyzer.analyze({ bytes: Buffer.from('well'), want: [], isUrgent: true });
    await expect(urgent).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('before it was ready is followed by another one', async () => {
    const mark = join(mkdtempSync(join(tmpdir(), 'vitrine-seeing-')), 'once');
    const builtinAnalyzer = open({ threads: 1, tessdataDir: mark, logger }, faulty, {
      idleMs: 30_000,
      startPausesMs: [10],
    });
    await expect(look(builtinAnalyzer, 'well')).resolves.toMatchObject({ outcomes: {} });
    expect(existsSync(mark)).toBe(true);
  });

  it('only when it has had nothing to do for a while', full, async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faulty, { idleMs: 250, startPausesMs: [] });
    const first = await look(builtinAnalyzer, 'well');
    const both = Promise.all([look(builtinAnalyzer, 'well'), look(builtinAnalyzer, 'well')]);
    // Whoever has been busy hears of several at once.
    for (const until = performance.now() + 100; performance.now() < until;);
    const numbers = [first, ...(await both)];
    // Slow ones take longer than it may be idle.
    for (let round = 0; round < 3; round += 1) numbers.push(await look(builtinAnalyzer, 'slow'));
    expect(new Set(numbers.map(({ image }) => image.width)).size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await look(builtinAnalyzer, 'well')).image.width).not.toBe(first.image.width);
  });

  it('because the service ends leaves nobody waiting', async () => {
    const builtinAnalyzer = open({ threads: 1, logger }, faulty);
    await look(builtinAnalyzer, 'well');
    const endless = look(builtinAnalyzer, 'endless');
    await builtinAnalyzer.close();
    await expect(endless).rejects.toThrow('ended');
  });

  it('by a signal in the middle of a real picture analyzes it again', full, async () => {
    const builtinAnalyzer = open({ threads: 1, tessdataDir, logger });
    const analysis = builtinAnalyzer.analyze({ path: photograph, want: ['colors', 'pdq'] });
    await expect.poll(() => ownProcesses().length, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => getPriority(ownProcesses()[0]), { timeout: 10_000 }).toBeGreaterThan(0);
    const early = await Promise.race([analysis, new Promise((resolve) => setTimeout(resolve, 60, null))]);
    if (early === null) process.kill(ownProcesses()[0] ?? 0, 'SIGKILL');
    const { outcomes } = await analysis;
    expect(outcomes.colors?.result?.dominant.length).toBeGreaterThan(0);
    expect(outcomes.pdq?.result?.hash).toHaveLength(32);
  });
});

describe('the analysis process', () => {
  const settings: PictureProcessSettings = {
    threads: 1,
    niceness: niceness.background,
    decodeSeconds,
    tessdataDir,
    onnxRuntime: null,
  };

  it('ends at once with the service, even while a picture is decoded', full, async () => {
    const program = join(import.meta.dirname, '../../../dist/src/analysis/process/process.js');
    const child = fork(program, [JSON.stringify(settings)], { serialization: 'advanced' });
    await once(child, 'message');
    child.send([{ type: 'work', id: 1, job: { name: 'decode', bytes: await jpeg(9, 9_000), longSide: 512 } }]);
    await sleep(500);
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await Promise.race([ended.then(() => 'ended'), sleep(3_000, 'still decoding')])).toBe('ended');
  });

  it.runIf(process.platform === 'linux')('leaves the processors to requests, and knows no secret', full, async () => {
    const builtinAnalyzer = open({ threads: 1, tessdataDir, logger });
    await builtinAnalyzer.analyze({ path: photograph, want: ['colors'] });
    const [pid = 0] = ownProcesses();
    expect(getPriority(pid)).toBe(niceness.background);
    await builtinAnalyzer.analyze({ path: photograph, want: ['colors'], isUrgent: true });
    const priorities = ownProcesses().map((each) => getPriority(each));
    expect(priorities.toSorted((a, b) => a - b)).toEqual([niceness.interactive, niceness.background]);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=');
    await builtinAnalyzer.close();
    await expect.poll(() => ownProcesses(), { timeout: 10_000 }).toEqual([]);
  });

  it.runIf(existsSync('/proc/self/autogroup'))(
    'leaves the session’s processors to requests while they are answered, and takes them back after',
    async () => {
      const asked = new AnalysisProcess({
        program: join(process.cwd(), 'dist/src/analysis/process/process.js'),
        settings,
        flags: analysisFlags('webAssembly'),
        onEnd: () => {},
      });
      const session = () => Number(readFileSync(`/proc/${asked.pid}/autogroup`, 'utf8').trim().split(' ').at(-1));
      const analyze = () => asked.ask({ name: 'convert', bytes: readFileSync(photograph), conversion: { to: 'copy' } });
      try {
        await analyze();
        expect(session()).toBe(niceness.background);
        asked.giveWay(true);
        await expect.poll(session, { timeout: 10_000 }).toBe(leftoverNiceness);
        asked.giveWay(false);
        await expect.poll(session, { timeout: 10_000 }).toBe(niceness.background);
      } finally {
        asked.end();
      }
    },
  );

  it('does not outlive the service, however that ends', full, async () => {
    const program = `
import { openBuiltinAnalyzer } from '${join(process.cwd(), 'dist/src/analysis/index.js')}';
      const analyzer = openBuiltinAnalyzer({ threads: 1, logger: { warn() {} } });
      await analyzer.analyze({ path: '${photograph}', want: ['colors'] });
      console.log('looked');
      setInterval(() => {}, 1000);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    await new Promise((resolve) => service.stdout.once('data', resolve));
    const [pid = 0] = analysisProcesses(service.pid);
    expect(pid).toBeGreaterThan(0);
    service.kill('SIGKILL');
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 10_000 }).toBe(false);
  });
});
