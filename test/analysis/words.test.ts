import { describe, expect, it } from 'vitest';
import type { PictureContext, Facts, Warning } from '../../src/analysis/facts.ts';
import { languages } from '../../src/analysis/facts.ts';
import { writeCaption } from '../../src/analysis/captions/caption.ts';
import { cocoClasses } from '../../src/analysis/captions/coco.ts';
import { findConcepts } from '../../src/analysis/captions/concepts.ts';

const box = { x: 0.1, y: 0.1, w: 0.3, h: 0.3 };
const things = (label: string, count: number, confidence = 0.8) =>
  Array.from({ length: count }, () => ({ label, box, confidence, isConfirmed: confidence >= 0.5 }));
const faces = (count: number) => Array.from({ length: count }, () => ({ box, confidence: 0.9 }));
const inColors = (...colors: [hex: string, percent: number][]) => ({
  dominant: colors.map(([hex, percent]) => ({ name: '', hex, percent })),
  isBlackAndWhite: false,
});
const caption = (found: Partial<Facts>, context: PictureContext = {}, warn: (warning: Warning) => void = () => {}) =>
  writeCaption({ found, context, langs: languages, warn });

describe('the table of classes', () => {
  it('has 80 classes, each with all its forms in five languages', () => {
    expect(cocoClasses.length).toBe(80);
    const incomplete = cocoClasses.filter((nouns) =>
      languages.some((lang) => [nouns[lang].one, nouns[lang].few, nouns[lang].many].includes('')),
    );
    expect(incomplete).toEqual([]);
    expect(new Set(cocoClasses.map(({ en }) => en.one)).size).toBe(80);
  });
});

describe('a caption', () => {
  it.each(['2023-02-30', '2023-06-31', '0000-01-01', '2023-13-01'])('makes no other day of %s', (date) => {
    expect(caption({ objects: things('boat', 1) }, { date }).en).toContain(date);
  });

  it('counts up to three and speaks each language', () => {
    expect(caption({ faces: faces(1), objects: [...things('person', 2), ...things('dog', 1)] })).toEqual({
      en: 'A picture of two people and a dog.',
      es: 'Una imagen con dos personas y un perro.',
      pt: 'Uma imagem com duas pessoas e um cachorro.',
      fr: 'Une image avec deux personnes et un chien.',
      ru: 'На снимке 2 человека и собака.',
    });
  });

  it('speaks of several clocks, not hours, and of carrots and pots in their plural', () => {
    expect(caption({ objects: things('clock', 5) }).ru).toBe('На снимке несколько циферблатов.');
    expect(caption({ objects: things('clock', 1) }).ru).toBe('На снимке часы.');
    expect(caption({ objects: things('carrot', 4) }).ru).toBe('На снимке несколько морковок.');
    expect(caption({ objects: things('potted plant', 2) }).ru).toBe('На снимке 2 растения в горшках.');
  });

  it('does not say how many there are when there are more', () => {
    expect(caption({ objects: things('boat', 5) })).toMatchObject({
      en: 'A picture of several boats.',
      es: 'Una imagen con varios barcos.',
      fr: 'Une image avec plusieurs bateaux.',
      ru: 'На снимке несколько лодок.',
    });
  });

  it('says an airplane and a boat', () => {
    const { en } = caption({ objects: [...things('airplane', 1), ...things('boat', 1)] });
    expect(en).toBe('A picture of an airplane and a boat.');
  });

  it('says un ave in Spanish, and otherwise the article of the gender', () => {
    const said = (count: number) => caption({ objects: [...things('bird', count), ...things('kite', 1)] }).es;
    expect([said(1), said(2)]).toEqual([
      'Una imagen con un ave y una cometa.',
      'Una imagen con dos aves y una cometa.',
    ]);
  });

  it('agrees with the gender of what it counts', () => {
    expect(caption({ objects: [...things('cat', 2), ...things('cow', 2)] }).pt).toBe(
      'Uma imagem com dois gatos e duas vacas.',
    );
    expect(caption({ objects: things('cow', 3) }).ru).toBe('На снимке 3 коровы.');
  });

  it('is empty in every language where nothing is confirmed, and says what would help', () => {
    const found = { objects: things('sheep', 3, 0.49), colors: inColors(['#2850b4', 60], ['#f8f8f8', 30]) };
    const warnings: Warning[] = [];
    const said = caption(found, { city: 'Rome' }, (warning) => warnings.push(warning));
    expect(said).toEqual({ en: '', es: '', pt: '', fr: '', ru: '' });
    expect(warnings).toEqual([
      { code: 'nothing_recognized', message: expect.stringContaining('AI_CAPTION_PROVIDER=huggingface') },
    ]);
  });

  it('has no warning, and no colors of what is behind, where something is recognized', () => {
    const colors = inColors(['#142846', 60], ['#101010', 30]);
    const warnings: Warning[] = [];
    expect(caption({ colors, objects: things('cat', 1) }, {}, (warning) => warnings.push(warning)).en).toBe(
      'A picture of a cat.',
    );
    expect(warnings).toEqual([]);
  });

  it('knows black and white', () => {
    const colors = { dominant: [], isBlackAndWhite: true };
    expect(caption({ colors, faces: faces(1) }).en).toBe('A black-and-white picture of a person.');
    expect(caption({ colors, faces: faces(1) }).ru).toBe('На чёрно-белом снимке человек.');
  });

  it('names event, place and day as the caller gave them, the country and the day in the language', () => {
    const context = { event: 'Regata 100%', city: 'Bilbao', country: 'es', date: '2020-05-12' };
    expect(caption({ objects: things('boat', 1) }, context)).toMatchObject({
      en: 'A picture of a boat, Regata 100%, Bilbao, Spain, 12 May 2020.',
      es: 'Una imagen con un barco, Regata 100%, Bilbao, España, 12 de mayo de 2020.',
      ru: 'На снимке лодка, Regata 100%, Bilbao, Испания, 12 мая 2020 г.',
    });
  });

  it('keeps what it cannot read as it is', () => {
    const { en } = caption(
      { faces: faces(1) },
      { country: 'Basque Country', date: 'last summer', city: ' ', event: "$& $1 $'" },
    );
    expect(en).toBe("A picture of a person, $& $1 $', Basque Country, last summer.");
  });
});

describe('concepts', () => {
  const labels = (found: Partial<Facts>) => findConcepts(found).map((each) => [each.labels.en, each.source]);

  it('are the things, what they are kinds of, and the words of the file, the surest first', () => {
    const found = {
      objects: [...things('dog', 2, 0.7), ...things('car', 1, 0.3)],
      embedded: { keywords: ['Harbour'] },
    };
    expect(labels(found)).toEqual([
      ['Harbour', 'embedded'],
      ['dog', 'objects'],
      ['animal', 'objects'],
    ]);
  });

  it('know what a thing is a kind of where its name has several words, too', () => {
    for (const [label, keyword] of [
      ['hot dog', 'hot dog'],
      ['head of broccoli', 'broccoli'],
    ] as const) {
      expect(labels({ objects: things(label, 1) }).map(([name]) => name)).toEqual([keyword, 'food']);
    }
  });

  it('name a thing without its counting word, and its sense where the noun has several', () => {
    const labelsOf = (label: string) => findConcepts({ objects: things(label, 1) })[0]?.labels;
    expect(labelsOf('pair of skis')).toEqual({ en: 'skis', es: 'esquís', pt: 'esquis', fr: 'skis', ru: 'лыжи' });
    expect(labelsOf('bench')).toMatchObject({ en: 'bench', es: 'banco (asiento)', pt: 'banco (assento)' });
  });

  it('have labels without gaps, and no label twice in a language', () => {
    for (const lang of languages) {
      const labels = cocoClasses.map((nouns) => nouns[lang].keyword);
      expect([lang, labels.filter((label, at) => label === '' || labels.indexOf(label) !== at)]).toEqual([lang, []]);
    }
  });

  it('have labels in five languages', () => {
    expect(findConcepts({ objects: things('dog', 1) })[0]).toEqual({
      labels: { en: 'dog', es: 'perro', pt: 'cachorro', fr: 'chien', ru: 'собака' },
      confidence: 0.8,
      source: 'objects',
    });
  });

  it('distinguish a portrait from a group', () => {
    expect(labels({ faces: faces(1) }).flat()).toContain('portrait');
    expect(labels({ faces: faces(4) }).flat()).toContain('group of people');
    expect(labels({ faces: faces(4) }).flat()).not.toContain('portrait');
  });

  it('are none where nothing is sure', () => {
    expect(findConcepts({ objects: things('sheep', 1, 0.4), faces: [] })).toEqual([]);
    expect(findConcepts({ objects: things('person', 1, 0.4), faces: [] })).toEqual([]);
  });
});
