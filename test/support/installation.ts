import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/lib/package-root.ts';
import { newFolder } from './program.ts';

/** The built program in a folder of its own, with every package beside it but those of one scope. */
export function installWithout(scope: string): string {
  const folder = newFolder({ name: 'vitrine-without-' });
  for (const name of ['package.json', 'bin', 'dist', 'prisma']) {
    cpSync(join(packageRoot, name), join(folder, name), { recursive: true });
  }
  const packages = join(packageRoot, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(packages)) {
    if (name !== scope) symlinkSync(join(packages, name), join(folder, 'node_modules', name));
  }
  return folder;
}
