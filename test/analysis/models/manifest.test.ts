import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseLocal } from '../../../src/analysis/providers/local/choose-local.ts';
import { parseModels, readManifest, versionOfModel } from '../../../src/analysis/models/read-manifest.ts';
import type { ModelEntry } from '../../../src/analysis/models/manifest.ts';
import { readConfig } from '../../../src/config/config.ts';
import { ownModels } from '../../support/own-models.ts';
import { newFolder } from '../../support/program.ts';

const file = { path: 'a.onnx', sha256: 'a'.repeat(64) };
const nsfw = {
  name: 'n',
  task: 'nsfw',
  license: 'MIT',
  preprocessing: { size: 224 },
  files: { image: file },
  labels: ['normal', 'nsfw'],
  unsafe: ['nsfw'],
};
const faultsOf = (...models: unknown[]) => parseModels(JSON.parse(JSON.stringify({ models }))).faults;
const choose = (environment: Record<string, string>) => {
  const { own, transformers } = chooseLocal(readConfig(environment).ai);
  return { own: own.map(({ name }) => name), transformers };
};

describe('models.json', () => {
  it('says of a model what is usual where it says nothing', () => {
    expect(parseModels({ models: [nsfw] }).models).toMatchObject([
      {
        batch: 1,
        gpu: 'auto',
        activation: 'softmax',
        thresholds: { nsfw: 0.5 },
        preprocessing: { mean: [0, 0, 0], std: [1, 1, 1], scale: 1 / 255, layout: 'nchw', resize: 'stretch' },
      },
    ]);
  });

  it.each([
    ['no list of models', [], /^models: .*It is \{"models"/],
    ['another task', [{ ...nsfw, task: 'smell' }], /^models\[0\] \(n\) task: /],
    ['a field that there is not', [{ ...nsfw, size: 3 }], /^models\[0\] \(n\) : Unrecognized key: "size"/],
    ['no license', [{ ...nsfw, license: undefined }], /^models\[0\] \(n\) license: /],
    [
      'a path out of the folder',
      [{ ...nsfw, files: { image: { ...file, path: 'a/../../b' } } }],
      /files\.image\.path: must be relative to the folder of models\.json, and stay in it/,
    ],
    ['a path of the machine', [{ ...nsfw, files: { image: { ...file, path: '/etc/passwd' } } }], /files\.image\.path/],
    [
      'a digest that is none',
      [{ ...nsfw, files: { image: { ...file, sha256: 'A1' } } }],
      /files\.image\.sha256: must be 64 hexadecimal digits: sha256sum FILE prints them/,
    ],
    [
      'a deviation of 0',
      [{ ...nsfw, preprocessing: { size: 8, std: [1, 0, 1] } }],
      /preprocessing\.std: must be above 0/,
    ],
    ['an unsafe class that is no label', [{ ...nsfw, unsafe: ['gore'] }], /unsafe\.0: 'gore' is not one of the labels/],
    [
      'texts without tokenizer',
      [{ ...nsfw, task: 'embedding', labels: undefined, unsafe: undefined, files: { image: file, text: file } }],
      /files: text and tokenizer go together/,
    ],
    [
      'a classifier of keywords without labels',
      [{ ...nsfw, task: 'keywords', labels: undefined, unsafe: undefined }],
      /labels: are needed where there is no text model/,
    ],
    ['two models of one name', [nsfw, nsfw], /^models\[1\] name: 'n' names another model, too/],
  ])('with %s is refused by field and hint', (_name, models, fault) => {
    const faults = models.length === 0 ? parseModels({}).faults : faultsOf(...models);
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  it('has all its faults reported together', () => {
    expect(faultsOf({ ...nsfw, batch: 0, gpu: 'fast' }, { ...nsfw, name: 'm', unsafe: [] })).toHaveLength(3);
  });

  it('that is no JSON, or names a file that is not there, is refused', () => {
    const folder = newFolder();
    expect(readManifest(folder)).toBeNull();
    writeFileSync(join(folder, 'models.json'), '{"models": [');
    expect(() => readManifest(folder)).toThrow(/models\.json is not valid JSON/);
    cpSync(ownModels, folder, { recursive: true });
    expect(readManifest(folder)).toHaveLength(7);
    rmSync(join(folder, 'nsfw.onnx'));
    expect(() => readManifest(folder)).toThrow(/tiny-nsfw files\.image: nsfw\.onnx does not exist/);
  });

  it('gives a model another version when its answers may change, and only then', () => {
    const [entry] = parseModels({ models: [nsfw] }).models as [ModelEntry];
    const versionWith = (change: object) =>
      versionOfModel(parseModels({ models: [{ ...nsfw, ...change }] }).models[0] as ModelEntry);
    for (const same of [{ batch: 4 }, { license: 'BSD' }, { gpu: 'off' }])
      expect(versionWith(same)).toBe(versionOfModel(entry));
    const changes = [
      { thresholds: { nsfw: 0.6 } },
      { labels: ['nsfw', 'normal'] },
      { files: { image: { ...file, sha256: 'b'.repeat(64) } } },
      { preprocessing: { size: 225 } },
    ];
    for (const change of changes) expect(versionWith(change)).not.toBe(versionOfModel(entry));
  });
});

describe('provider local', () => {
  const folder = { MODELS_DIR: ownModels };

  it('serves what models.json describes by the first model of each task, or by the one that is named', () => {
    expect(choose({ ...folder, AI_PROVIDER: 'local' })).toEqual({
      own: ['tiny-captioner', 'tiny-words', 'tiny-reader', 'tiny-clip', 'tiny-nsfw', 'tiny-faces'],
      transformers: [],
    });
    expect(choose({ ...folder, AI_EMBEDDING_PROVIDER: 'local', AI_EMBEDDING_MODEL: 'tiny-siglip' })).toEqual({
      own: ['tiny-siglip'],
      transformers: [],
    });
    expect(choose(folder)).toEqual({ own: [], transformers: [] });
  });

  it('leaves to the builtin analyzer what models.json does not describe, unless a variable insists', () => {
    const own = newFolder();
    const { models } = JSON.parse(readFileSync(join(ownModels, 'models.json'), 'utf8')) as {
      models: { name: string }[];
    };
    cpSync(ownModels, own, { recursive: true });
    writeFileSync(
      join(own, 'models.json'),
      JSON.stringify({ models: models.filter(({ name }) => name === 'tiny-nsfw') }),
    );
    expect(choose({ MODELS_DIR: own, AI_PROVIDER: 'local' })).toEqual({ own: ['tiny-nsfw'], transformers: [] });
    expect(() => choose({ MODELS_DIR: own, AI_FACES_PROVIDER: 'local' })).toThrow(
      /^AI_FACES_PROVIDER=local, but .* has no model for faces/,
    );
    expect(() => choose({ MODELS_DIR: own, AI_NSFW_PROVIDER: 'local', AI_NSFW_MODEL: 'other' })).toThrow(
      /named 'other'/,
    );
  });

  it('is Transformers.js for what it can do, where there is no models.json', () => {
    expect(choose({ MODELS_DIR: newFolder(), AI_PROVIDER: 'local' })).toEqual({
      own: [],
      transformers: ['caption', 'embedding'],
    });
  });
});
