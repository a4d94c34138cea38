import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openDatabase } from '../dist/src/backing/index.js';
import { createLogger } from '../dist/src/logger.js';
import { readDocumentsAfter } from '../dist/src/search/engine/documents.js';
const { url } = JSON.parse(readFileSync('/tmp/world.json'));
const db = openDatabase({ url, logger: createLogger('warn') });
const size = Number(process.argv[2] ?? 500), ser = process.argv[3] === 'json';
for (let r = 0; r < 3; r++) {
  let last = 0, n = 0, bytes = 0; const c0 = process.cpuUsage(), t0 = performance.now();
  for (;;) {
    const d = await readDocumentsAfter(db, 'image', last, size);
    n += d.length; if (ser) for (const x of d) bytes += JSON.stringify(x).length;
    if (d.length < size) break; last = d.at(-1).id;
  }
  const c = process.cpuUsage(c0);
  console.log(n, 'wall us/doc', (1e3*(performance.now()-t0)/n).toFixed(1), 'node cpu us/doc', ((c.user+c.system)/n).toFixed(1), bytes/n);
}
await db.close();
