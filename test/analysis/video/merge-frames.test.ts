import { describe, expect, it } from 'vitest';
import { mergeFrames } from '../../../src/analysis/index.ts';
import type { AnalyzerName, Concept, Facts, Outcomes } from '../../../src/analysis/index.ts';

const origin = { analyzer: 'builtin', version: '1', milliseconds: 10 } as const;
const box = { x: 0, y: 0, w: 1, h: 1 };

/** A frame in which so much was seen. */
function frame(facts: Partial<Facts>, failed: readonly AnalyzerName[] = []): Outcomes {
  const seen = Object.entries(facts).map(([name, result]) => [name, { ...origin, result }]);
  const errors = failed.map((name) => [name, { ...origin, error: { code: 'failed', message: 'broken' } }]);
  return Object.fromEntries([...seen, ...errors]) as Outcomes;
}

const concept = (word: string, confidence: number, source: Concept['source'] = 'objects'): Concept => ({
  labels: { en: word, es: word, pt: word, fr: word, ru: word },
  confidence,
  source,
});
const line = (text: string) => ({ text, lang: 'en', confidence: 0.9, box });
const ocr = (...texts: string[]) => ({ text: texts.join('\n'), lines: texts.map(line), turned: 0 as const });
const colors = (isBlackAndWhite: boolean, ...shares: [name: string, percent: number][]) => ({
  dominant: shares.map(([name, percent]) => ({ name, hex: '#000000', percent })),
  isBlackAndWhite,
});

describe('frames of a video together', () => {
  it('have the faces of the frame with most of them, and each line of text once', () => {
    const face = { box, confidence: 0.9 };
    const { seen } = mergeFrames([
      frame({ faces: [face], ocr: ocr('NEWS', 'Port of Vigo') }),
      frame({ faces: [face, face], ocr: ocr('News', 'Goodbye') }),
    ]);
    expect(seen.faces?.result).toHaveLength(2);
    expect(seen.ocr?.result?.text).toBe('NEWS\nPort of Vigo\nGoodbye');
  });

  it('have the mean of their colors, and are black and white when each is', () => {
    const { seen } = mergeFrames([
      frame({ colors: colors(true, ['navy', 62], ['gold', 1]) }),
      frame({ colors: colors(false, ['navy', 20], ['teal', 80]) }),
    ]);
    expect(seen.colors?.result).toMatchObject({
      isBlackAndWhite: false,
      dominant: [
        { name: 'navy', percent: 41 },
        { name: 'teal', percent: 40 },
      ],
    });
  });

  it('show what any of them shows, but have the tone that all of them have', () => {
    const tone = concept('black and white', 1, 'colors');
    const { seen } = mergeFrames([
      frame({ concepts: [tone, concept('cat', 0.5)], caption: { en: 'A cat.' } }),
      frame({ concepts: [concept('cat', 0.8), concept('dog', 0.6), concept('animal', 0.6)], caption: { en: 'Both.' } }),
    ]);
    expect(seen.concepts?.result?.map(({ labels, confidence }) => [labels.en, confidence])).toEqual([
      ['cat', 0.8],
      ['dog', 0.6],
      ['animal', 0.6],
    ]);
    expect(seen.caption?.result).toEqual({ en: 'Both.' });
  });

  it('keep what was seen where an analyzer failed on some, and say on how many', () => {
    const { outcomes, seen } = mergeFrames([
      frame({ nsfw: { isNsfw: false, confidence: 0.1 } }, ['ocr']),
      frame({ nsfw: { isNsfw: true, confidence: 0.9 }, ocr: ocr('Vigo') }),
      frame({}, ['nsfw', 'ocr']),
    ]);
    expect(outcomes.nsfw?.error).toEqual({ code: 'failed', message: 'broken (1 of 3 frames)' });
    expect(outcomes.ocr?.error?.message).toBe('broken (2 of 3 frames)');
    expect(seen.nsfw?.result).toEqual({ isNsfw: true, confidence: 0.9 });
    expect(seen.ocr?.result?.text).toBe('Vigo');
    expect(outcomes.nsfw?.milliseconds).toBe(30);
    expect(mergeFrames([frame({}, ['ocr'])])).toMatchObject({ seen: {}, outcomes: { ocr: { error: {} } } });
  });
});
