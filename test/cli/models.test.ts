import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { findTransformers } from '../../src/analysis/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { ownModelsEnvironment, whyNoModels } from '../support/own-models.ts';
import { command } from '../support/command.ts';
import { run } from '../support/program.ts';
import { full } from '../support/effort.ts';

const modelsDir = join(packageRoot, 'test', 'fixtures', 'models');
const isInstalled = findTransformers(modelsDir) !== null;
const why = isInstalled ? '' : ' (skipped: @huggingface/transformers is not installed)';
const tiny = {
  // Where the package may be, as for this process; commands of tests inherit little else.
  ...(process.env['NODE_PATH'] && { NODE_PATH: process.env['NODE_PATH'] }),
  MODELS_DIR: modelsDir,
  AI_PROVIDER: 'local',
  AI_EMBEDDING_MODEL: 'tiny-clip',
  AI_CAPTION_MODEL: 'tiny-captioner',
};

describe('a check of models', () => {
  it('asks for a model of this machine where none is configured', async () => {
    const check = await command(['models', 'check'], {});
    expect(check).toMatchObject({ code: 1, output: expect.stringContaining('set AI_PROVIDER,') });
  });

  it.skipIf(whyNoModels !== '')(
    `measures each model of models.json, and says what it finds${whyNoModels}`,
    full,
    async () => {
      const check = run(['models', 'check', '--pictures', '2'], ownModelsEnvironment);
      const names = ['captioner', 'words', 'reader', 'clip', 'nsfw', 'faces'];
      const code = await check.ended;
      for (const name of names) {
        expect(check.output()).toMatch(new RegExp(`local:tiny-${name} +2 of 2 +\\d+ ms +\\d+ ms +\\d+ MiB +\\S`));
      }
      expect([code, check.output()]).toEqual([0, expect.stringContaining('16 dimensions')]);
    },
  );

  it.skipIf(isInstalled)('names the package that is to be installed, and ends with 1', full, async () => {
    const check = run(['models', 'check', '--pictures', '2'], tiny);
    expect([await check.ended, check.output()]).toEqual([
      1,
      expect.stringMatching(
        /embedding +local:tiny-clip +0 of 2[^]*npm install --prefix [^]*--ignore-scripts @huggingface\/transformers/,
      ),
    ]);
  });

  it.skipIf(!isInstalled)(`measures each on the examples${why}`, async () => {
    const check = run(['models', 'check', '--pictures', '3'], tiny);
    const row = (name: string) => `${name} +3 of 3 +\\d+ ms +\\d+ ms +\\d+ MiB`;
    const rows = new RegExp(`${row('local:tiny-clip')}[^]*${row('local:tiny-captioner')}`);
    expect([await check.ended, check.output()]).toEqual([0, expect.stringMatching(rows)]);
  });

  it.skipIf(!isInstalled)(`says which model does not load, and ends with 1${why}`, async () => {
    const check = run(['models', 'check', '--pictures', '2'], { ...tiny, AI_EMBEDDING_MODEL: 'absent' });
    expect([await check.ended, check.output()]).toEqual([1, expect.stringMatching(/local:absent +0 of 2[^]*failed/)]);
  });
});
