import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { openBuiltinAnalyzer } from '../../../src/analysis/index.ts';
import { createImageAnalyzer } from '../../../src/analysis/image-analyzer.ts';
import { faultyAnalysisProcess, analysisProcesses } from '../../support/analysis-processes.ts';
import { endSharedAnalyzer } from '../../support/shared-analyzer.ts';
import { openWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { finished, holdSource, heldNetwork, send } from '../support.ts';
import { sizeOf, full } from '../../support/effort.ts';

/** Enough for seconds. */
const many = sizeOf(20, 40);

let world: World;
beforeAll(endSharedAnalyzer);
afterEach(() => world.close());

describe('the process that decodes what is stored', () => {
  it('may end in the middle of a batch, and everything is stored', full, async () => {
    world = await openWorld({ sourceAllow: heldNetwork });
    const client = await world.client();
    await world.picture('p.png', { width: 1000, height: 750 });
    const held = await holdSource();
    const elements = Array.from({ length: many }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
    const id = await send(client, 'POST', '/imgs', [...elements, { id: 'held', src: held.url }]);
    await held.asked;
    await expect.poll(() => analysisProcesses().length, { timeout: 10_000 }).toBe(1);
    for (const pid of analysisProcesses()) process.kill(pid, 'SIGKILL');
    held.release();
    expect(await finished(client, id)).toMatchObject({ num_good: many + 1, num_bad: 0 });
    await held.close();
  });

  it('is ended by a picture that fails alone', full, async () => {
    const builtinAnalyzer = openBuiltinAnalyzer({ threads: 1, logger: createLogger('silent') }, faultyAnalysisProcess);
    world = await openWorld({
      imageAnalyzer: createImageAnalyzer({ builtinAnalyzer, builtin: { shape: '1' }, providers: [] }),
    });
    const client = await world.client();
    for (const what of ['well', 'deadly']) writeFileSync(join(world.media, what), what);
    const elements = Array.from({ length: 30 }, (_, i) => ({ id: `e${i}`, src_path: i === 12 ? 'deadly' : 'well' }));
    const record = await finished(client, await send(client, 'POST', '/imgs', elements));
    expect(record).toMatchObject({ num_good: 29, num_bad: 1 });
    const msg = "decode_failed: the picture crashes the analysis process (id 'e12')";
    expect(record.errors).toEqual([{ id: 12, ref: 'e12', code: 'decode_failed', field: null, msg }]);
  });
});
