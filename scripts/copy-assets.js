// Copies what the built program reads at run time besides code: REST's documents and recorded examples, the networks
// of the analysis, and the kernels for comparisons and pixels. The kernels are compiled here, and also copied next to
// their sources, for the tests.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

for (const path of ['rest/documents', 'rest/examples.json', 'src/analysis/assets']) {
  if (existsSync(path)) cpSync(path, `dist/${path}`, { recursive: true });
}

const { parseWat } = await wabt();
const sources = [
  'src/similarity/index/wasm/kernels',
  'src/analysis/fingerprint/wasm/corners',
  'src/analysis/pixels/kernels',
];
for (const kernels of sources) {
  const compiled = parseWat(`${kernels}.wat`, readFileSync(`${kernels}.wat`, 'utf8'), { simd: true, threads: true });
  for (const folder of ['.', 'dist']) writeFileSync(`${folder}/${kernels}.wasm`, compiled.toBinary({}).buffer);
}
