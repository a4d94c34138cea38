import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

/** Words that the glossary of CONTRIBUTING.md has replaced, and British spellings. */
const replaced = new Set(
  (
    'look looks looked looker lookers looking eye eyes sight sights analyst holder holders told teller handover door ' +
    'doors parcel parcels shares gather gatherer gallery likeness likenesses lettering rim rims blot blots tongue ' +
    'tongues feeder delivery engine away colour colours coloured analyse analysed analyser grey centre neighbour neighbours'
  ).split(' '),
);

/** Declarations that a file exports, by name. */
const exported =
  /^export (?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;

const wordsIn = (name: string) =>
  name.split(/[^A-Za-z]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());

it('no exported name and no file is called by a word that the glossary has replaced', () => {
  const tracked = execFileSync('git', ['ls-files', 'src', 'rest'], { cwd: packageRoot, encoding: 'utf8' });
  const found = tracked
    .trim()
    .split('\n')
    .flatMap((file) => {
      const text = /\.(ts|js)$/.test(file) ? readFileSync(join(packageRoot, file), 'utf8') : '';
      const names = [basename(file), ...[...text.matchAll(exported)].map(([, name = '']) => name)];
      return names.filter((name) => wordsIn(name).some((word) => replaced.has(word))).map((name) => `${file}: ${name}`);
    });
  expect(found).toEqual([]);
});
