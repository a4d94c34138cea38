import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of the installed package, which contains package.json, prisma/ and schema.graphql. Found by searching upwards,
 * because the code runs both as TypeScript (src/) and as built files (dist/src/).
 */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/** Version of this program. */
export const packageVersion = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version;

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json not found above the program');
  return findPackageRoot(parent);
}

/**
 * Path of the program of a thread or process, named by its built file below dist/src/: one of the few bundles that the
 * build creates (scripts/bundle.js), which load fast, or else that file with all of its imports.
 */
export function builtFile(path: string): string {
  const together = join(packageRoot, 'dist', 'program', path.replaceAll('/', '-'));
  return existsSync(together) ? together : join(packageRoot, 'dist', 'src', path);
}
