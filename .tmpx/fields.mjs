import { engineFieldsOf, accessOf } from '../dist/src/search/engine/attributes.js';
for (const r of ['image','video']) for (const f of engineFieldsOf(r)) console.log(r, f.name, f.kind, accessOf(f), f.facet?'facet':'', (f.sql[r]??'NULL').slice(0,100));
