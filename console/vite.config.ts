import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The records of the example photographs, which a button of an empty catalog stores. */
const examples: Plugin = {
  name: 'examples',
  generateBundle() {
    const source = readFileSync(fromHere('../examples/catalog.json'));
    this.emitFile({ type: 'asset', fileName: 'examples.json', source });
  },
};

/** Builds the console into `dist/console`, from where the service sends it at `/app/`. */
export default defineConfig(({ command }) => ({
  root: fromHere('.'),
  // Relative, since a proxy may serve the console below a path.
  base: command === 'build' ? './' : '/app/',
  plugins: [svelte({ compilerOptions: { runes: true } }), examples],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // What is inlined would need an exception in the page's policy.
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { '/graphql': 'http://127.0.0.1:4000', '/app/session': 'http://127.0.0.1:4000' } },
}));
