import { readFileSync } from 'node:fs';
import assert from 'node:assert';
import { openDatabase } from '../dist/src/backing/index.js';
import { createLogger } from '../dist/src/logger.js';
import { readDocumentsAfter } from '../dist/src/search/engine/documents.js';
import { readDocumentsAfter as old } from '../dist/src/search/engine/old-documents.js';
const url = process.argv[2] ?? JSON.parse(readFileSync('/tmp/world.json')).url;
const db = openDatabase({ url, logger: createLogger('warn') });
for (const r of ['image','video']) { let last = 0, n = 0;
  for (;;) {
    const [a, b] = [await readDocumentsAfter(db, r, last, 500), await old(db, r, last, 500)];
    a.forEach((x, i) => { assert.equal(x.id, b[i].id); assert.deepStrictEqual(JSON.parse(x.json), JSON.parse(JSON.stringify(b[i]))); });
    n += a.length; if (a.length < 500) break; last = a.at(-1).id;
  } console.log(r, n, 'same'); }
await db.close();
