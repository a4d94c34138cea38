import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHuggingFace } from '../../../src/analysis/providers/huggingface/index.ts';
import { callLimits } from '../../../src/analysis/providers/huggingface/limits.ts';
import { createImageAnalyzer } from '../../../src/analysis/image-analyzer.ts';
import { sharedBuiltinAnalyzer } from '../../support/shared-analyzer.ts';
import { openWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { openInferenceServer } from '../../analysis/providers/inference-server.ts';
import type { Fault, InferenceServer } from '../../analysis/providers/inference-server.ts';
import { finished, send } from '../support.ts';
import { full } from '../../support/effort.ts';

let server: InferenceServer;
let world: World;
beforeAll(async () => {
  server = await openInferenceServer();
  const serves = ['nsfw'] as const;
  const provider = createHuggingFace({ serves, models: {}, endpoint: server.endpoint, candidates: [], limits: callLimits }); // prettier-ignore
  const imageAnalyzer = createImageAnalyzer({
    builtinAnalyzer: sharedBuiltinAnalyzer,
    builtin: { colors: '1' },
    providers: [provider],
  });
  world = await openWorld({ analyses: true, imageAnalyzer });
  world.startWorker();
  await world.picture('p.png');
});
afterAll(async () => {
  await world.close();
  await server.close();
});

it('a batch that is stored at once is analyzed by every worker that has time', full, async () => {
  const held: (() => void)[] = [];
  const hold: Fault = (response) => {
    const normal = '[{"label":"normal","score":1}]';
    held.push(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end(normal));
  };
  server.faults.push(...Array.from({ length: 1000 }, () => hold));
  const client = await world.client();
  const elements = Array.from({ length: 60 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
  const id = await send(client, 'POST', '/imgs', elements);
  const atWork = async () => {
    const { rows } = await world.backing.database.pool.query<{ workers: number }>(
      'SELECT count(DISTINCT begun_by)::int AS workers FROM operation_analysis WHERE operation_id = $1',
      [id],
    );
    return rows[0]?.workers;
  };
  await expect.poll(atWork, { timeout: 20_000 }).toBe(2);
  server.faults.length = 0;
  for (const release of held) release();
  const record = await finished(client, id, 60_000);
  expect(record).toMatchObject({ num_good: 60, num_bad: 0 });
  expect(record.stages[1]).toMatchObject({ num_total: 60, num_good: 60, num_bad: 0 });
});
