import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { niceness } from '../../../src/vision/limits.ts';
import type { Vision } from '../../../src/vision/index.ts';
import { faultySeeing as faulty, seeingProcesses as seeing } from '../../support/seeing-processes.ts';
import { visionOpener } from '../../support/visions.ts';

const logger = createLogger('silent');
const photograph = join(import.meta.dirname, '../../../examples/pictures/airplane-from-above.jpg');
const open = visionOpener();

describe('a process that looks at pictures and ends', () => {
  const look = (vision: Vision, what: string, signal?: AbortSignal) =>
    vision.analyse({ bytes: Buffer.from(what), want: [], ...(signal && { signal }) });

  it('costs the picture that ends it; those beside it are looked at again', async () => {
    const vision = open({ threads: 1, logger }, faulty);
    const { image: first } = await look(vision, 'well');
    const beside = look(vision, 'slow');
    await expect(look(vision, 'deadly')).rejects.toMatchObject({
      code: 'decode_failed',
      message: 'the picture ends the process that looks at it',
    });
    const { image: second } = await beside;
    expect(second.width).not.toBe(first.width);
  });

  it('keeps nobody who has left', async () => {
    const vision = open({ threads: 1, logger }, faulty);
    const leaving = new AbortController();
    const endless = look(vision, 'endless', leaving.signal);
    await look(vision, 'well');
    leaving.abort(new Error('enough'));
    await expect(endless).rejects.toThrow('enough');
  });

  it('before it was ready is no picture’s fault', async () => {
    const vision = open({ threads: 1, tessdataDir: 'nowhere', logger }, faulty, {
      idleMs: 30_000,
      startPausesMs: [10],
    });
    await expect(look(vision, 'well')).rejects.toThrow('the process that looks at pictures cannot start');
    await expect(look(vision, 'well')).rejects.not.toHaveProperty('code');
  });

  it('before it was ready is followed by another one', async () => {
    const mark = join(mkdtempSync(join(tmpdir(), 'vitrine-seeing-')), 'once');
    const vision = open({ threads: 1, tessdataDir: mark, logger }, faulty, { idleMs: 30_000, startPausesMs: [10] });
    await expect(look(vision, 'well')).resolves.toMatchObject({ outcomes: {} });
    expect(existsSync(mark)).toBe(true);
  });

  it('only when it has had nothing to do for a while', async () => {
    const vision = open({ threads: 1, logger }, faulty, { idleMs: 250, startPausesMs: [] });
    const first = await look(vision, 'well');
    const both = Promise.all([look(vision, 'well'), look(vision, 'well')]);
    // Whoever has been busy hears of several at once.
    for (const until = performance.now() + 100; performance.now() < until;);
    const numbers = [first, ...(await both)];
    // Slow ones take longer than it may be idle.
    for (let round = 0; round < 3; round += 1) numbers.push(await look(vision, 'slow'));
    expect(new Set(numbers.map(({ image }) => image.width)).size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await look(vision, 'well')).image.width).not.toBe(first.image.width);
  });

  it('because the service ends leaves nobody waiting', async () => {
    const vision = open({ threads: 1, logger }, faulty);
    await look(vision, 'well');
    const endless = look(vision, 'endless');
    await vision.close();
    await expect(endless).rejects.toThrow('ended');
  });

  it('by a signal in the middle of a real picture has it looked at again', async () => {
    const vision = open({ threads: 1, logger });
    const analysis = vision.analyse({ path: photograph, want: ['colours', 'pdq'] });
    await expect.poll(() => seeing().length, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => getPriority(seeing()[0]), { timeout: 10_000 }).toBeGreaterThan(0);
    const early = await Promise.race([analysis, new Promise((resolve) => setTimeout(resolve, 60, null))]);
    if (early === null) process.kill(seeing()[0] ?? 0, 'SIGKILL');
    const { outcomes } = await analysis;
    expect(outcomes.colours?.result?.colours.length).toBeGreaterThan(0);
    expect(outcomes.pdq?.result?.hash).toHaveLength(32);
  });
});

describe('the process that looks at pictures', () => {
  it.runIf(process.platform === 'linux')('leaves the processors to requests, and knows no secret', async () => {
    const vision = open({ threads: 1, logger });
    await vision.analyse({ path: photograph, want: ['colours'] });
    const [pid = 0] = seeing();
    expect(getPriority(pid)).toBe(niceness.background);
    await vision.analyse({ path: photograph, want: ['colours'], isUrgent: true });
    const priorities = seeing().map((each) => getPriority(each));
    expect(priorities.toSorted((a, b) => a - b)).toEqual([0, niceness.background]);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=');
    await vision.close();
    await expect.poll(() => seeing(), { timeout: 10_000 }).toEqual([]);
  });

  it('does not outlive the service, however that ends', async () => {
    const program = `
import { openVision } from '${join(process.cwd(), 'dist/src/vision/index.js')}';
      const vision = openVision({ threads: 1, logger: { warn() {} } });
      await vision.analyse({ path: '${photograph}', want: ['colours'] });
      console.log('looked');
      setInterval(() => {}, 1000);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
    await new Promise((resolve) => service.stdout.once('data', resolve));
    const [pid = 0] = seeing(service.pid);
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
