import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { openVision } from '../../../src/vision/index.ts';
import type { Vision } from '../../../src/vision/index.ts';

const logger = createLogger('silent');
const photograph = join(import.meta.dirname, '../../../examples/pictures/airplane-from-above.jpg');
const opened: Vision[] = [];
afterEach(async () => {
  for (const vision of opened.splice(0)) await vision.close();
});

function open(...args: Parameters<typeof openVision>): Vision {
  const vision = openVision(...args);
  opened.push(vision);
  return vision;
}

/** The processes of pictures that a process has started. */
function seeing(parent = process.pid): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n');
  const rows = lines.filter((line) => line.includes('dist/src/vision/seeing/process.js'));
  return rows.map((row) => row.trim().split(/\s+/).map(Number)).flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : [])); // prettier-ignore
}

describe('a process that looks at pictures and ends', () => {
  const faulty = join(import.meta.dirname, '../../support/faulty-seeing.js');
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
    const vision = open({ threads: 1, tessdataDir: 'nowhere', logger }, faulty);
    await expect(look(vision, 'well')).rejects.toThrow('the process that looks at pictures cannot start');
    await expect(look(vision, 'well')).rejects.not.toHaveProperty('code');
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
    expect(getPriority(pid)).toBe(5);
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
