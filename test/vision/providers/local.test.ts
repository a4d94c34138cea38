import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/package-root.ts';
import { createLocal } from '../../../src/vision/providers/local/index.ts';

const signal = new AbortController().signal;
const options = { langs: ['en'], context: {}, signal } as const;
const picture = async () => ({
  jpeg: await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer(),
  width: 64,
  height: 48,
});
const isInstalled = existsSync(join(packageRoot, 'node_modules', '@huggingface', 'transformers'));
const modelsDir = process.env['LOCAL_MODELS_DIR'] ?? '';

describe('models on this machine', () => {
  it.skipIf(isInstalled)('say which package they need where it is not installed', async () => {
    const { models, embedText } = createLocal({ serves: ['caption', 'embedding'], models: {}, modelsDir: 'models' });
    const absent = { code: 'not_available', message: expect.stringContaining('npm install @huggingface/transformers') };
    await expect(models.caption?.run(await picture(), options)).rejects.toMatchObject(absent);
    await expect(embedText?.('a dog', signal)).rejects.toMatchObject(absent);
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

  const why = !isInstalled
    ? 'skipped: @huggingface/transformers is not installed'
    : modelsDir === '' && 'skipped: no LOCAL_MODELS_DIR';
  it.skipIf(why !== false)(`embed pictures and words in one space${why ? ` (${why})` : ''}`, async () => {
    const { models, embedText } = createLocal({ serves: ['embedding'], models: {}, modelsDir });
    const ofPicture = await models.embedding?.run(await picture(), options);
    const ofText = await embedText?.('a plain colour', signal);
    expect(ofPicture?.length).toBeGreaterThan(8);
    expect(ofText).toHaveLength(ofPicture?.length ?? 0);
  });
});
