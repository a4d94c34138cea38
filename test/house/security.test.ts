import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

it('every promise of SECURITY.md names a test that is there', () => {
  const promises = [...read('SECURITY.md').matchAll(/^\| [^|]+ \| `([^`|]+\.test\.ts)` +\| ([^|]+?) +\|$/gm)];
  expect(promises.length).toBeGreaterThan(12);
  const missing = promises.filter(([, file = '', title = '']) => {
    return !existsSync(join(packageRoot, file)) || !read(file).includes(`'${title}'`);
  });
  expect(missing.map(([row]) => row)).toEqual([]);
});

it('every test that docs/security.md names is there', () => {
  const named = [...read('docs/security.md').matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(25);
  const known = new Set(
    readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' }).map((file) => `test/${file}`),
  );
  const missing = named.filter((name) =>
    name.includes('/') ? !known.has(name) : ![...known].some((file) => basename(file) === name),
  );
  expect(missing).toEqual([]);
});
