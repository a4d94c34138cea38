import { readFileSync } from 'node:fs';
import { openDatabase } from '../dist/src/backing/index.js';
import { createLogger } from '../dist/src/logger.js';
import { readDocumentsAfter } from '../dist/src/search/engine/documents.js';
const { url } = JSON.parse(readFileSync('/tmp/world.json'));
const db = openDatabase({ url, logger: createLogger('warn') });
console.log(JSON.stringify((await readDocumentsAfter(db,'image',77,1))[0],null,0));
console.log((await db.pool.query('select words::text,stems::text,terms from image where row_id=78')).rows);
await db.close();
