import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

/** Words that the glossary of CONTRIBUTING.md has replaced, and British spellings. */
const replaced = new Set(
  (
    'prints question questions seeing turns look looks looked looker lookers looking eye eyes sight sights analyst holder holders told teller handover door ' +
    'doors parcel parcels shares gather gatherer gallery likeness likenesses lettering rim rims blot blots tongue ' +
    'tongues feeder delivery engine away colour colours coloured analyse analysed analyser grey centre neighbour neighbours'
  ).split(' '),
);

/** Declarations that a file exports, by name. */
const exported =
  /^export (?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;

const wordsIn = (name: string) =>
  name.split(/[^A-Za-z]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());

const tracked = execFileSync('git', ['ls-files', 'src', 'rest'], { cwd: packageRoot, encoding: 'utf8' })
  .trim()
  .split('\n');

/** The names that each file declares and exports. */
const exports = new Map(
  tracked
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file) => {
      const text = readFileSync(join(packageRoot, file), 'utf8');
      return [file, [...text.matchAll(exported)].map(([, name = '']) => name)] as const;
    }),
);

it('no two files export things of one name', () => {
  const all = [...exports].flatMap(([file, names]) => [...new Set(names)].map((name) => ({ name, file })));
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect(all.filter(({ name }) => (counts.get(name) ?? 0) > 1)).toEqual([]);
});

it('no exported name and no file is called by a word that the glossary has replaced', () => {
  const found = tracked.flatMap((file) => {
    const names = [basename(file), ...(exports.get(file) ?? [])];
    return names.filter((name) => wordsIn(name).some((word) => replaced.has(word))).map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});

it('everything that a file exports is named by another file', () => {
  const all = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.svelte'], { cwd: packageRoot, encoding: 'utf8' });
  const namedIn = new Map<string, number>();
  const texts = new Map(all.trim().split('\n').map((file) => [file, readFileSync(join(packageRoot, file), 'utf8')])); // prettier-ignore
  for (const text of texts.values()) {
    for (const word of new Set(text.match(/\w+/g))) namedIn.set(word, (namedIn.get(word) ?? 0) + 1);
  }
  const unused = [...exports].flatMap(([file, names]) =>
    names.filter((name) => namedIn.get(name) === 1).map((name) => `${file}: ${name}`),
  );
  expect(unused).toEqual([]);
});
