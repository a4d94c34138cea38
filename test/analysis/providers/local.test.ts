import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { findTransformers, precisionOf } from '../../../src/analysis/providers/local/find-transformers.ts';
import { createLocal } from '../../../src/analysis/providers/local/index.ts';
import type { Provider } from '../../../src/analysis/providers/provider.ts';
import { newFolder } from '../../support/program.ts';

const signal = new AbortController().signal;
const options = { langs: ['en'], context: {}, signal } as const;
const picture = async (background = 'teal') => ({
  jpeg: await sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .jpeg()
    .toBuffer(),
  width: 64,
  height: 48,
});
const modelsDir = join(packageRoot, 'test', 'fixtures', 'models');
const models = { embedding: 'tiny-clip', caption: 'tiny-captioner' };
const isInstalled = findTransformers(modelsDir) !== null;
const why = isInstalled ? '' : ' (skipped: @huggingface/transformers is not installed)';

/** Words of a color lie nearest to pictures of it. */
async function expectOneSpace(local: Provider): Promise<void> {
  const names = ['red', 'green', 'blue', 'teal'];
  const pictures = await Promise.all(
    names.map(async (name) => (await local.models.embedding?.run(await picture(name), options)) as Int8Array),
  );
  for (const [index, name] of names.entries()) {
    const text = (await local.embedText?.(`A ${name} picture`, signal)) as Int8Array;
    const scores = pictures.map((each) => cosine(each, text));
    expect(scores.indexOf(Math.max(...scores)), name).toBe(index);
    expect(scores[index]).toBeGreaterThan(0.95);
  }
}

const cosine = (a: Int8Array, b: Int8Array) =>
  a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe('models on this machine', () => {
  it.skipIf(isInstalled)('say which package they need where it is not installed', async () => {
    const local = createLocal({ serves: ['caption', 'embedding'], models: {}, modelsDir: 'models' });
    const absent = {
      code: 'not_available',
      message: expect.stringContaining('--ignore-scripts @huggingface/transformers'),
    };
    await expect(local.models.caption?.run(await picture(), options)).rejects.toMatchObject(absent);
    await expect(local.embedText?.('a dog', signal)).rejects.toMatchObject(absent);
  });

  it('run by a package that was installed beside them', () => {
    const folder = newFolder();
    const own = join(folder, 'node_modules', '@huggingface', 'transformers');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name":"@huggingface/transformers","main":"index.js"}');
    writeFileSync(join(own, 'index.js'), "module.exports = { name: 'beside the models' };");
    if (!isInstalled) expect(findTransformers(folder)?.()).toEqual({ name: 'beside the models' });
    expect(findTransformers(newFolder()) === null).toBe(!isInstalled);
  });

  it('are taken in the smallest precision that is there whole', () => {
    const folder = newFolder();
    const onnx = join(folder, 'model', 'onnx');
    mkdirSync(onnx, { recursive: true });
    for (const name of ['a', 'b', 'a_fp16', 'b_fp16', 'a_quantized']) writeFileSync(join(onnx, `${name}.onnx`), '');
    expect(precisionOf(folder, 'model', ['a', 'b'])).toBe('fp16');
    expect(precisionOf(folder, 'model', ['a'])).toBe('q8');
    expect(precisionOf(folder, 'nowhere', ['a'])).toBe('q8');
  });

  it('are never looked for elsewhere than in their folder', async () => {
    const env: Record<string, unknown> = {};
    const RawImage = { fromBlob: () => Promise.reject(new Error('cannot read /srv/models/file')) };
    const local = createLocal({
      serves: ['caption'],
      models: {},
      modelsDir: 'models',
      load: async () => ({ env, RawImage }),
    });
    await expect(local.models.caption?.run(await picture(), options)).rejects.toThrow('cannot read …');
    expect(env).toMatchObject({ allowRemoteModels: false, allowLocalModels: true });
    expect(local.models.embedding).toBeUndefined();
  });

  it('that tests run are what their script makes', () => {
    const folder = newFolder();
    execFileSync(process.execPath, [join(packageRoot, 'scripts', 'make-tiny-models.js'), folder]);
    const files = (root: string) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .toSorted();
    expect(files(folder)).toEqual(files(modelsDir));
    for (const file of files(folder)) {
      expect(readFileSync(join(folder, file)).equals(readFileSync(join(modelsDir, file))), file).toBe(true);
    }
  });

  it.skipIf(!isInstalled).each(['tiny-clip', 'tiny-siglip'])(
    `embed pictures and words in one space: %s${why}`,
    async (name) => {
      const local = createLocal({ serves: ['embedding'], models: { embedding: name }, modelsDir });
      await expectOneSpace(local);
      expect(local.models.embedding).toMatchObject({ name: `local:${name}` });
    },
  );

  it.skipIf(!isInstalled)(
    `embed words where the tokenizer does not say how many, as that of SigLIP 2${why}`,
    async () => {
      const folder = newFolder();
      cpSync(modelsDir, folder, { recursive: true });
      const file = join(folder, 'tiny-siglip', 'tokenizer_config.json');
      const tokenizer = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...tokenizer, model_max_length: 1e30 }));
      await expectOneSpace(
        createLocal({ serves: ['embedding'], models: { embedding: 'tiny-siglip' }, modelsDir: folder }),
      );
    },
  );

  it.skipIf(!isInstalled)(`write captions${why}`, async () => {
    const local = createLocal({ serves: ['caption'], models, modelsDir });
    expect(await local.models.caption?.run(await picture('blue'), options)).toEqual({ en: 'a picture in blue' });
    expect(await local.models.caption?.run(await picture('teal'), options)).toEqual({ en: 'a picture in teal' });
  });

  it.skipIf(!isInstalled)(`that lack a file fail with its name and no path of this machine${why}`, async () => {
    const folder = newFolder();
    cpSync(modelsDir, folder, { recursive: true });
    const local = createLocal({ serves: ['embedding'], models: { embedding: 'absent' }, modelsDir: folder });
    const failing = local.models.embedding?.run(await picture(), options);
    await expect(failing).rejects.toMatchObject({ code: 'failed', message: expect.not.stringContaining(folder) });
  });
});
