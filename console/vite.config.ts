import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the console into `dist/console`, from where the service sends it at `/app/`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [svelte({ compilerOptions: { runes: true } })],
  // A style in an attribute or an inlined file would need an exception in the page's policy.
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/graphql': 'http://127.0.0.1:4000', '/app/session': 'http://127.0.0.1:4000' } },
});
