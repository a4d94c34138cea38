import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { sourceFiles } from './imports.ts';

const files = sourceFiles('src');

describe('the house', () => {
  it('reads the environment in one file', () => {
    const readers = [...files, ...sourceFiles('rest')].filter((file) =>
      /process\s*\.\s*env|process\[['"]env/.test(readFileSync(join(packageRoot, file), 'utf8')),
    );
    expect(readers).toEqual(['src/config/environment.ts']);
  });

  it('has components of the console of 150 lines at most', () => {
    const tracked = execFileSync('git', ['ls-files', 'console'], { cwd: packageRoot, encoding: 'utf8' })
      .trim()
      .split('\n');
    const long = tracked
      .filter((file) => file.endsWith('.svelte'))
      .map((file) => [file, readFileSync(join(packageRoot, file), 'utf8').trimEnd().split('\n').length] as const)
      .filter(([, lines]) => lines > 150);
    expect(long).toEqual([]);
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
