import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { formerNameOf } from '../../src/analysis/analyzers.ts';
import { createImageAnalyzer } from '../../src/analysis/image-analyzer.ts';
import type { ImageFacts } from '../../src/analysis/decode.ts';
import type { BuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { Provider } from '../../src/analysis/providers/provider.ts';
import { AppError } from '../../src/lib/errors.ts';

const builtinAnalyzer = {} as BuiltinAnalyzer; // Only its versions are asked for.

it('the signature of analyzers is that of version 0.2, so that renamed analyzers make no record stale', () => {
  const builtin = { colors: '1', ocr: '2', localFeatures: '3', pdq: '4' };
  const { signature } = createImageAnalyzer({ builtinAnalyzer, builtin, providers: [] });
  const former = 'colours builtin 1\nlikeness builtin 3\npdq builtin 4\ntext builtin 2';
  expect(signature).toBe(createHash('sha256').update(former).digest('base64url').slice(0, 12));
  expect(['ocr', 'faces', 'nsfw'].map(formerNameOf)).toEqual(['text', 'faces', 'nsfw']);
});

it('an analysis without the picture for its models fails, rather than lack their results', async () => {
  const full = new AppError('unavailable', 'Too many pictures are waiting');
  const busy: BuiltinAnalyzer = {
    analyze: async () => ({ image: {} as ImageFacts, outcomes: {}, warnings: [] }),
    convert: () => Promise.reject(full),
    close: async () => {},
  };
  const caption = { name: 'test:model', version: '1', run: async () => ({ en: 'A boat.' }) };
  const provider: Provider = { models: { caption }, embedText: null, costs: () => ({}) };
  const imageAnalyzer = createImageAnalyzer({ builtinAnalyzer: busy, builtin: {}, providers: [provider] });
  await expect(imageAnalyzer.analyze({ bytes: Buffer.of(1), want: ['caption'] })).rejects.toBe(full);
});
