import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageRoot } from '../../src/lib/package-root.ts';

/** An import between files of ours, both as paths from the root. */
export type Import = Readonly<{ from: string; to: string; isType: boolean }>;

/** The TypeScript files of a folder. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
}

const specifiers = /(?:(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?|import\()'(\.[^']+)'/g;

/** What a file imports of ours, be it a type, as it is passed on, or while it runs. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(packageRoot, file), 'utf8');
  return [...text.matchAll(specifiers)].map(([, , type, specifier = '']) => ({
    from: file,
    to: relative(packageRoot, resolve(packageRoot, dirname(file), specifier)),
    isType: type !== undefined,
  }));
}

/** Files that import each other, each group sorted. */
export function circlesAmong(files: readonly string[]): string[][] {
  const targets = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
  const places = new Map<string, { index: number; low: number }>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): { index: number; low: number } => {
    const place = { index: places.size, low: places.size };
    places.set(file, place);
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!targets.has(target)) continue;
      const known = places.get(target);
      if (known === undefined) place.low = Math.min(place.low, visit(target).low);
      else if (open.includes(target)) place.low = Math.min(place.low, known.index);
    }
    if (place.low === place.index) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1 || targets.get(file)?.includes(file)) circles.push(group.toSorted());
    }
    return place;
  };
  for (const file of files) if (!places.has(file)) visit(file);
  return circles;
}
