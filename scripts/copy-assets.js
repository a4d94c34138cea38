// What the built program reads at run time besides code: REST's documents and recorded examples, vision's assets.
import { cpSync, writeFileSync } from 'node:fs';

cpSync('rest/documents', 'dist/rest/documents', { recursive: true });
cpSync('rest/examples.json', 'dist/rest/examples.json');
cpSync('src/analysis/assets', 'dist/src/analysis/assets', { recursive: true });
// What is older than this is built: see build-if-needed.js.
writeFileSync('dist/.built', '');
