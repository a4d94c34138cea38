import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

function sourceFiles(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
}

type Import = Readonly<{ from: string; to: string }>;

/** Imports between our own files, both as paths from the root. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(packageRoot, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) => ({
    from: file,
    to: relative(packageRoot, resolve(packageRoot, dirname(file), specifier)),
  }));
}

/** Slices from left to right; each may import those that stand to its right. */
const order = ['graphql', 'operations', 'search', 'catalog', 'tenants', 'backing'];
const foundation = ['config', 'errors', 'lib', 'observability'];

function sliceOf(file: string): string {
  const [top, second = ''] = file.split('/');
  return top === 'src' ? second.replace(/\.ts$/, '') : (top ?? '');
}

function mayImport(from: string, to: string): boolean {
  if (from === to || foundation.includes(to) || to === 'prisma') return true;
  if (foundation.includes(from)) return false;
  if (from === 'analysis') return false;
  if (to === 'analysis') return from === 'operations' || from === 'search';
  return order.includes(from) && order.includes(to) && order.indexOf(from) < order.indexOf(to);
}

const files = sourceFiles('src');
const slices = [...order, 'analysis', ...foundation];

describe('the house', () => {
  it('has arrows in one direction only', () => {
    const wrong = files
      .flatMap(importsOf)
      .filter(({ from, to }) => slices.includes(sliceOf(from)) && !mayImport(sliceOf(from), sliceOf(to)));
    expect(wrong).toEqual([]);
  });

  it('is entered by its slices through their index', () => {
    const isSlice = (name: string) => order.includes(name) || name === 'analysis';
    const wrong = files
      .flatMap(importsOf)
      .filter(({ from, to }) => isSlice(sliceOf(to)) && sliceOf(from) !== sliceOf(to) && !to.endsWith('/index.ts'));
    expect(wrong).toEqual([]);
  });

  it('lets REST know nothing of src but its library and the table of fields', () => {
    const outside = sourceFiles('rest')
      .flatMap(importsOf)
      .filter(({ to }) => !to.startsWith('rest/') && !to.startsWith('src/lib/') && to !== 'src/catalog/fields.ts');
    expect(outside).toEqual([]);
  });

  it('reads the environment in one file', () => {
    const readers = [...files, ...sourceFiles('rest')].filter((file) =>
      /process\s*\.\s*env|process\[['"]env/.test(readFileSync(join(packageRoot, file), 'utf8')),
    );
    expect(readers).toEqual(['src/config/config.ts']);
  });

  it('keeps schema.graphql as the code prints it', () => {
    const printed = `${printSchema(lexicographicSortSchema(schema))}\n`;
    expect(readFileSync(join(packageRoot, 'schema.graphql'), 'utf8')).toBe(printed);
  });

  it('describes every type, field, argument and enum of the schema', () => {
    const undescribed = Object.values(schema.getTypeMap())
      .filter((type) => !type.name.startsWith('__'))
      .flatMap((type) => {
        const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
        const args = fields.flatMap((field) =>
          'args' in field ? field.args.map((arg: { name: string; description?: string | null }) => arg) : [],
        );
        const own =
          type.description || ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name) ? [] : [type.name];
        return [
          ...own,
          ...[...fields, ...args].filter(({ description }) => !description).map(({ name }) => `${type.name}.${name}`),
        ];
      });
    expect(undescribed).toEqual([]);
  });

  it('names no registry host and no folder of a developer in what is committed', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
    const wrong = tracked.filter((file) => {
      if (file.startsWith('test/house/')) return false;
      return /"resolved": "https?:|\/(?:home|Users|root|work)\/[a-z]/.test(
        readFileSync(join(packageRoot, file), 'utf8'),
      );
    });
    expect(wrong).toEqual([]);
  });
});
