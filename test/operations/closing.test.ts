import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantQueue } from '../../src/backing/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openFiles } from '../../src/app/open-files.ts';
import { openWorker } from '../../src/app/open-worker.ts';
import { hasLiveWorker } from '../../src/operations/index.ts';
import { TenantIndexes } from '../../src/similarity/index.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

/** The world's queue, whose workers end but say that they could not. */
function queueThatCannotClose(): TenantQueue {
  const { queue } = world.backing;
  const work: TenantQueue['work'] = (options) => {
    const worker = queue.work(options);
    return {
      async close() {
        await worker.close();
        throw new Error('the queue does not let go');
      },
    };
  };
  return { ...queue, work };
}

it('a worker of which one part cannot be closed says so, and leaves none of the others open', async () => {
  const { database } = world.backing;
  const worker = openWorker({
    config: readConfig({}),
    files: openFiles(readConfig({}), database),
    logger: createLogger('fatal'),
    backing: { ...world.backing, queue: queueThatCannotClose() },
    imageAnalyzer: analyzerOf(),
    similar: new TenantIndexes(1024, 1),
  });
  await expect.poll(() => hasLiveWorker(database)).toBe(true);
  await expect(worker.close()).rejects.toThrow('the queue does not let go');
  expect(await hasLiveWorker(database)).toBe(false);
});
