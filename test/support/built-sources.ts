import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import type { Plugin } from 'vitest/config';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');

/** What `npm run build:service` compiles. */
const compiled = ['src', 'rest', 'bench', 'chaos', 'attack', 'prisma'];

/** Test files that check process-wide state or move the clock: they have modules of their own. */
const alone = ['lib/time-slice.test.ts', 'search/plans.test.ts', 'search/meilisearch/contract.test.ts'];

export function isAlone(testPath = ''): boolean {
  return alone.some((name) => testPath.endsWith(`test/${name}`));
}

function newestBelow(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return Math.max(...entries.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

/** Whether the build is of these sources, as by `npm test`. */
function isBuilt(): boolean {
  const built = statSync(join(dist, '.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return built > 0 && compiled.every((folder) => newestBelow(join(root, folder)) <= built);
}

/** What Node loads itself. */
export const builtModules = new RegExp(`^${dist.replaceAll(/[^\w/-]/g, String.raw`\$&`)}/`);

/**
 * Lets tests load the build in place of its sources, unless these have changed since: each process of a run would have them
 * translated, which takes as long as hundreds of tests. Files that run alone load the sources.
 */
export function builtSources(): Plugin {
  const isUsed = process.argv.includes('run') && isBuilt();
  return {
    name: 'built-sources',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!isUsed || importer === undefined || !/^\.\.?\/.*\.ts$/.test(source)) return null;
      const path = join(dirname(importer), source);
      // The query makes it another module than that of other files.
      if (isAlone(importer) || importer.endsWith('?alone')) return `${path}?alone`;
      const built = join(dist, relative(root, path).replace(/\.ts$/, '.js'));
      return existsSync(built) ? built : null;
    },
  };
}
