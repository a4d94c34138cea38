import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './measure.ts';
import { residentMiB, startServer } from './processes.ts';
import type { World } from './world.ts';

/** Time from `vitrine serve` on existing data, database included, to the first reply; and idle memory. */
export async function benchStarting({ folder }: World): Promise<void> {
  const dataDir = join(folder, 'own');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const environment = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
  await (await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment)).stop();
  const began = performance.now();
  const server = await startServer(['bin/vitrine.js', 'serve', '--no-supervise'], environment);
  await fetch(`${server.url}/ready`);
  const seconds = (performance.now() - began) / 1000;
  report('start on existing data to first answer', `${seconds.toFixed(2)} s`, '≤ 3 s', '');
  await new Promise((resolve) => setTimeout(resolve, 3000));
  report('idle memory of Node', `${residentMiB(server.pid)} MiB`, '≤ 250 MiB', '');
  await server.stop();
}
