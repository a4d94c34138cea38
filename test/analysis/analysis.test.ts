import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { ElementError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openBuiltinAnalyzer } from '../../src/analysis/index.ts';
import type { AnalyzerName, Facts, Language, Outcomes } from '../../src/analysis/index.ts';
import { corpusFolder, noCorpus, readManifest } from '../support/corpus.ts';
import { editDistance } from '../../bench/vision/edit-distance.ts';
import { firstOf, full } from '../support/effort.ts';

const builtinAnalyzer = openBuiltinAnalyzer({ threads: 2, logger: createLogger('silent') });
afterAll(() => builtinAnalyzer.close());

const examples = join(import.meta.dirname, '../../examples/pictures');
const pictureOf = (file: string) => readFileSync(join(corpusFolder, file));

/** The result of one analyzer, which must have one. */
async function see<Name extends AnalyzerName>(name: Name, bytes: Buffer, lang: Language = 'en'): Promise<Facts[Name]> {
  const { outcomes } = await builtinAnalyzer.analyze({ bytes, want: [name], langs: [lang] });
  expect(outcomes[name]?.error).toBeUndefined();
  return outcomes[name]?.result as Facts[Name];
}

function cosine(a: Int8Array, b: Int8Array): number {
  const dot = (x: Int8Array, y: Int8Array) => x.reduce((sum, value, i) => sum + value * (y[i] as number), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('an analysis', () => {
  it('finds all that was wanted in one decoding, each with who found it and how long it took', async () => {
    const want = [
      'shape',
      'colors',
      'embedded',
      'pdq',
      'faces',
      'objects',
      'ocr',
      'embedding',
      'concepts',
      'caption',
    ] as const;
    const { image, outcomes } = await builtinAnalyzer.analyze({
      path: join(examples, 'locomotion-house-cat.jpg'),
      want,
    });
    expect(image.format).toBe('jpeg');
    expect(Object.keys(outcomes).toSorted()).toEqual(want.toSorted());
    for (const name of want) {
      expect(outcomes[name]).toMatchObject({
        analyzer: 'builtin',
        version: expect.any(String),
        milliseconds: expect.any(Number),
      });
      expect(outcomes[name]?.result).toBeDefined();
    }
    expect(outcomes.shape?.result).toEqual({
      width: image.width,
      height: image.height,
      orientation: expect.any(String),
    });
    expect(outcomes.embedding?.result).toBeInstanceOf(Int8Array);
    expect(outcomes.embedding?.result?.length).toBe(128);
  });

  it('says of what nothing built in finds that it is not available', async () => {
    const { outcomes } = await builtinAnalyzer.analyze({ path: join(examples, 'nagasaki-boats.jpg'), want: ['nsfw'] });
    expect(outcomes.nsfw).toMatchObject({ error: { code: 'not_available' } });
  });

  it('sees the same in the same picture', full, async () => {
    const bytes = readFileSync(join(examples, 'allium-oreophilum.jpg'));
    expect(await see('embedding', bytes)).toEqual(await see('embedding', bytes));
  });

  it('refuses files that are no picture, and stops when it is aborted', async () => {
    await expect(builtinAnalyzer.analyze({ bytes: Buffer.from('no picture'), want: ['ocr'] })).rejects.toMatchObject({
      code: 'unsupported_media',
    });
    const controller = new AbortController();
    const bytes = readFileSync(join(examples, 'nagasaki-boats.jpg'));
    const analysis = builtinAnalyzer.analyze({ bytes, want: ['faces', 'ocr'], signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(analysis).rejects.toThrow('enough');
  });

  it.each(
    firstOf(1, [
      ['a single pixel', { width: 1, height: 1, channels: 3, background: '#f00' }],
      ['a thin line', { width: 2000, height: 1, channels: 3, background: '#0f0' }],
      ['a clear picture', { width: 40, height: 30, channels: 4, background: '#0000' }],
    ] as const),
  )('bears %s', async (_, create) => {
    const bytes = await sharp({ create }).png().toBuffer();
    const want = ['colors', 'pdq', 'faces', 'objects', 'ocr', 'embedding', 'caption'] as const;
    const { outcomes } = await builtinAnalyzer.analyze({ bytes, want });
    expect(want.filter((name) => outcomes[name]?.error !== undefined)).toEqual([]);
    expect(outcomes.ocr?.result?.text).toBe('');
  });
});

describe.skipIf(noCorpus)('text in the corpus', () => {
  type TextFile = Readonly<{
    file: string;
    language: Language;
    full_text: string;
    lines: { box: { x: number; y: number } }[];
  }>;
  const texts = noCorpus ? [] : (readManifest().text as unknown as TextFile[]);
  const packaged = texts.filter(({ language }) => language !== 'ru');

  it('is read with at most 4 % of wrong characters, whichever language was requested', full, async () => {
    let [wrong, all] = [0, 0];
    for (const { file, full_text: expected } of packaged) {
      const { text } = await see('ocr', pictureOf(file));
      wrong += editDistance(text, expected);
      all += expected.length;
    }
    expect(wrong / all).toBeLessThanOrEqual(0.04);
  });

  it.each(firstOf(1, packaged.slice(0, 4)))(
    'has a box for each line where it stands: $file',
    async ({ file, lines }) => {
      const { width = 0, height = 0 } = await sharp(pictureOf(file)).metadata();
      const { lines: found } = await see('ocr', pictureOf(file));
      expect(found.length).toBe(lines.length);
      for (const [i, { box }] of lines.entries()) {
        expect(Math.abs((found[i]?.box.x ?? 0) * width - box.x)).toBeLessThan(12);
        expect(Math.abs((found[i]?.box.y ?? 0) * height - box.y)).toBeLessThan(12);
      }
    },
  );

  it.each([90, 180, 270])('is read when it is turned by %i degrees', full, async (angle) => {
    const { text: expected } = await see('ocr', pictureOf('text/t06-fr.jpg'));
    const { text, turned } = await see('ocr', await sharp(pictureOf('text/t06-fr.jpg')).rotate(angle).toBuffer());
    expect({ text, turned }).toEqual({ text: expected, turned: angle });
  });

  it.each(firstOf(1, [['ru'], ['en'], ['en', 'es', 'pt', 'fr', 'ru']] as Language[][]))(
    'in a script without data is warned of and not read as another, asked in %s',
    full,
    async (...langs) => {
      for (const [file, read] of [
        ['text/t09-ru.jpg', '555 0188'],
        ['text/t10-ru.png', ''],
      ] as const) {
        const { warnings, outcomes } = await builtinAnalyzer.analyze({ bytes: pictureOf(file), want: ['ocr'], langs });
        expect(warnings, file).toEqual([
          { code: 'ocr_language_unavailable', message: expect.stringContaining('TESSDATA_DIR') },
        ]);
        expect(outcomes.ocr?.warnings).toEqual(warnings);
        expect(outcomes.ocr?.result?.text, file).toBe(read);
      }
    },
  );

  it('in a language that is asked for without data is not warned of where there is none', async () => {
    for (const file of firstOf(1, ['text/t01-en.jpg', 'originals/p04-dahlia.jpg', 'originals/p16-gravel.jpg'])) {
      const { warnings } = await builtinAnalyzer.analyze({ bytes: pictureOf(file), want: ['ocr'], langs: ['ru'] });
      expect(warnings, file).toEqual([]);
    }
  });

  const tessdataDir = ['/usr/share/tesseract-ocr/5/tessdata', '/usr/share/tesseract-ocr/4.00/tessdata'].find((folder) =>
    existsSync(join(folder, 'rus.traineddata')),
  );

  it.skipIf(tessdataDir === undefined)(
    'is read in Russian with the data of TESSDATA_DIR, and in Latin letters where Russian is asked for',
    full,
    async () => {
      const withRussian = openBuiltinAnalyzer({ threads: 1, tessdataDir, logger: createLogger('silent') });
      try {
        for (const [file, lang] of [
          ['text/t09-ru.jpg', 'ru'],
          ['text/t10-ru.png', 'es'],
          ['text/t01-en.jpg', 'ru'],
          ['text/t03-es.jpg', 'ru'],
        ] as const) {
          const { outcomes } = await withRussian.analyze({ bytes: pictureOf(file), want: ['ocr'], langs: [lang] });
          const expected = texts.find((text) => text.file === file)?.full_text ?? '';
          const wrong = editDistance(outcomes.ocr?.result?.text ?? '', expected) / expected.length;
          expect(wrong, file).toBeLessThanOrEqual(0.04);
        }
      } finally {
        await withRussian.close();
      }
    },
  );
});

const photographs = noCorpus ? [] : [...readManifest().originals, ...readManifest().faces];
const seen = new Map<string, Outcomes>();

/** Everything that tests ask of a photograph, seen once. */
async function seePhotograph(file: string): Promise<Outcomes> {
  const known = seen.get(file);
  if (known !== undefined) return known;
  const { outcomes } = await builtinAnalyzer.analyze({
    bytes: pictureOf(file),
    want: firstOf(2, ['faces', 'objects', 'ocr', 'caption']),
  });
  seen.set(file, outcomes);
  return outcomes;
}

describe.skipIf(noCorpus)('photographs of the corpus', () => {
  type Photograph = Readonly<{ file: string; n_faces: number | null }>;
  const stated = noCorpus ? [] : (photographs as unknown as Photograph[]).filter(({ n_faces }) => n_faces !== null);

  it('have no text where there is none', full, async () => {
    const read = await Promise.all(
      photographs.map(async ({ file }) => [file, (await seePhotograph(file)).ocr?.result?.text]),
    );
    expect(read.filter(([, text]) => text !== '')).toEqual([]);
  });

  it('have their faces counted rightly in at least nine of ten photographs', full, async () => {
    const right: string[] = [];
    for (const { file, n_faces: count } of stated) {
      if ((await seePhotograph(file)).faces?.result?.length === count) right.push(file);
    }
    expect(right.length / stated.length).toBeGreaterThanOrEqual(0.9);
  });

  it('have their places', full, async () => {
    const [face] = (await seePhotograph('faces/f01-portrait.jpg')).faces?.result ?? [];
    expect(face?.box.x).toBeGreaterThan(0.2);
    expect((face?.box.y ?? 1) + (face?.box.h ?? 1)).toBeLessThan(0.7);
    const objects = (await seePhotograph('originals/p08-rowboats.jpg')).objects?.result ?? [];
    expect(objects.filter(({ label }) => label === 'boat').length).toBeGreaterThanOrEqual(2);
  });

  it('are captioned without anything that is not there, and not at all where nothing is recognized', full, async () => {
    const named: Record<string, RegExp> = {
      'originals/p02-cat.jpg': /^A picture of a cat\.$/,
      'originals/p05-nagasaki.jpg': /^A picture of a person\.$/,
      'originals/p07-dogs.jpg': /^A picture of a dog\.$/,
      'originals/p08-rowboats.jpg': /^A picture of several boats\.$/,
      'originals/p09-cameraman.jpg': /^A black-and-white picture of a person\.$/,
      'faces/f01-portrait.jpg': /^A picture of a person\.$/,
    };
    for (const { file } of photographs) {
      const { caption } = await seePhotograph(file);
      expect(caption?.result?.en, file).toMatch(named[file] ?? /^$/);
      const warnings = named[file] === undefined ? [{ code: 'nothing_recognized' }] : [];
      expect(caption?.warnings ?? [], file).toMatchObject(warnings);
    }
  });
});

describe.skipIf(noCorpus)('labels that searches find', () => {
  const labelsOf = async (file: string) => {
    const concepts = await see('concepts', pictureOf(file));
    return concepts.filter(({ source }) => source !== 'embedded').map(({ labels }) => labels.en);
  };

  it.each(firstOf(1, ['crop_5.jpg', 'crop_10.jpg', 'crop_25.jpg', 'format_gif.gif', 'border.jpg']))(
    'of a cat are a cat, not a person and no dog: %s',
    full,
    async (copy) => {
      expect(await labelsOf(`variants/p02-cat/${copy}`)).toEqual(['cat', 'animal']);
      expect(await see('faces', pictureOf(`variants/p02-cat/${copy}`))).toEqual([]);
    },
  );

  it.each(firstOf(1, ['originals/p06-picos.jpg', 'variants/p06-picos/rotate_3deg.jpg', 'text/t06-fr.jpg']))(
    'of rocks on a slope are no sheep: %s',
    full,
    async (file) => {
      expect(await labelsOf(file)).toEqual([]);
      const objects = await see('objects', pictureOf(file));
      expect(objects.filter(({ isConfirmed }) => isConfirmed)).toEqual([]);
    },
  );

  it.each(
    firstOf(1, [
      ['variants/p02-cat/grayscale.jpg', 'black and white'],
      ['originals/p02-cat.jpg', 'cat'],
      ['originals/p07-dogs.jpg', 'dog'],
      ['originals/p08-rowboats.jpg', 'boat'],
      ['variants/p08-rowboats/resize_25.jpg', 'boat'],
      ['faces/f01-portrait.jpg', 'portrait'],
    ] as const),
  )('of %s have %s', async (file, label) => {
    expect(await labelsOf(file)).toContain(label);
  });
});

describe.skipIf(noCorpus)('embeddings of the corpus', () => {
  it('have the original nearest to each of its copies', full, async () => {
    const originals = readManifest().originals.slice(0, 8);
    const known = await Promise.all(
      originals.map(async ({ file }) => ({ file, vector: await see('embedding', pictureOf(file)) })),
    );
    for (const transform of ['resize_25', 'crop_10', 'text_bar']) {
      const copy = await see('embedding', pictureOf(`variants/p08-rowboats/${transform}.jpg`));
      const nearest = known.toSorted((a, b) => cosine(b.vector, copy) - cosine(a.vector, copy))[0];
      expect(nearest?.file, transform).toBe('originals/p08-rowboats.jpg');
    }
  });
});

describe.skipIf(noCorpus)('bad and unusual files of the corpus', () => {
  it('end in an error of the element, or in a result of every analyzer', full, async () => {
    const want = ['colors', 'pdq', 'embedded', 'faces', 'ocr', 'embedding'] as const;
    const ends = await Promise.all(
      readManifest().bad.map(async ({ file }) => {
        try {
          const { outcomes } = await builtinAnalyzer.analyze({ bytes: pictureOf(file), want });
          return want.flatMap((name) => (outcomes[name]?.error === undefined ? [] : [`${file}: ${name}`]));
        } catch (error) {
          return error instanceof ElementError ? [] : [`${file}: ${String(error)}`];
        }
      }),
    );
    expect(ends.flat()).toEqual([]);
  });
});
