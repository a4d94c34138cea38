import { openWorld } from '../dist/bench/world.js';
import { loadRecords } from '../dist/bench/searching/load.js';
import { writeFileSync } from 'node:fs';
const w = await openWorld(0);
const s = await loadRecords(w.databaseUrl, w.tenantId, Number(process.argv[2]));
writeFileSync('/tmp/world.json', JSON.stringify({ url: w.databaseUrl, tenantId: w.tenantId, s }));
console.log('ready', s);
process.on('SIGTERM', async () => { await w.close(); process.exit(0); });
setInterval(() => {}, 1e6);
