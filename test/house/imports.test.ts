import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { circlesAmong, importsOf, sourceFiles } from './imports.ts';
import type { Import } from './imports.ts';

/** Layers from left to right: each may import those to its right, and a slice nothing beside it but what is named. */
const layers = [
  ['start', 'cli'],
  ['app'],
  ['live', 'graphql', 'http', 'rest', 'mcp'],
  ['operations', 'tagging', 'previews', 'doctor', 'tables'],
  ['exports', 'webhooks'],
  ['search'],
  ['similarity'],
  ['catalog'],
  ['uploads', 'notifications'],
  ['tenants'],
  ['backup'],
  ['backing', 'storage', 'analysis'],
  ['config', 'observability', 'lib'],
] as const;

const layerOf = new Map<string, number>(layers.flatMap((names, index) => names.map((name) => [name, index] as const)));

/** Beside each other: what has one direction within its layer. */
const besides: Readonly<Record<string, readonly string[]>> = {
  start: ['cli'],
  cli: ['start'],
  live: ['graphql', 'http'],
  graphql: ['http'],
  config: ['lib'],
  observability: ['config', 'lib'],
};

/**
 * Imports of single files that the rules would not have: lists of REST and fields of GraphQL follow from tables, and what
 * the console runs, too, takes nothing of Node, which an index may bring.
 */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  rest: ['src/catalog/fields.ts', 'src/catalog/formula-fields.ts'],
  graphql: ['src/analysis/analyzers.ts'],
  tables: [
    'src/catalog/analyzed-element.ts',
    'src/catalog/check-element.ts',
    'src/catalog/fields.ts',
    'src/catalog/from-record.ts',
    'src/catalog/media-files.ts',
  ],
};

/** A slice's name: `start` is src/main.ts and src/cli.ts. */
function sliceOf(file: string): string {
  const [top = '', second = '', third] = file.split('/');
  if (top !== 'src') return top;
  return third === undefined ? 'start' : second;
}

function isAllowed({ from, to }: Import): boolean {
  const [own, other] = [sliceOf(from), sliceOf(to)];
  if (own === other || other === 'prisma' || exceptions[own]?.includes(to)) return true;
  if (own === 'rest') return other === 'lib';
  if (other === 'rest') return from === 'src/app/http-apis.ts';
  const [left, right] = [layerOf.get(own) ?? NaN, layerOf.get(other) ?? NaN];
  return left < right || (besides[own]?.includes(other) ?? false);
}

const files = [...sourceFiles('src'), ...sourceFiles('rest')];
const imports = files.flatMap(importsOf);

describe('imports', () => {
  it('go from left to right through all folders of src and rest', () => {
    expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
  });

  it('know every folder', () => {
    const known = [...layerOf.keys()];
    expect([...new Set(files.map(sliceOf))].filter((slice) => !known.includes(slice))).toEqual([]);
  });

  it('enter a slice through its index, where it has one', () => {
    const wrong = imports.filter(({ from, to }) => {
      const slice = sliceOf(to);
      const index = to.startsWith('src/') ? `src/${slice}/index.ts` : `${slice}/index.ts`;
      const isException = exceptions[sliceOf(from)]?.includes(to) ?? false;
      const isEntered = slice !== sliceOf(from) && to.endsWith('.ts') && to !== index && !isException;
      return isEntered && existsSync(join(packageRoot, index));
    });
    expect(wrong).toEqual([]);
  });

  it('lead in no circle, those of types included', () => {
    expect(circlesAmong(files)).toEqual([]);
  });

  it('have tables need nothing of Node or of packages, because the console reads them, too', () => {
    const reached = new Set(['src/tables/index.ts']);
    for (const file of reached) {
      for (const { to, isType } of importsOf(file)) if (!isType) reached.add(to);
    }
    const wrong = [...reached].filter((file) => /from '[^.]/.test(readFileSync(join(packageRoot, file), 'utf8')));
    expect(wrong).toEqual([]);
    expect(reached.size).toBeGreaterThan(10);
  });

  it('have the schema of GraphQL know nothing of HTTP', () => {
    const wrong = imports.filter(({ from, to }) => from.startsWith('src/graphql/schema/') && sliceOf(to) === 'http');
    expect(wrong).toEqual([]);
  });
});
