import { describe, expect, it } from 'vitest';
import {
  measureCaptions,
  measureFaces,
  measureKeywords,
  measureNsfw,
  measureObjects,
} from '../../bench/vision/found.ts';
import type { Found } from '../../bench/vision/found.ts';
import type { Concept, Facts } from '../../src/analysis/index.ts';

const box = { x: 0, y: 0, w: 1, h: 1 };
const object = (label: string, confidence: number, isConfirmed = true) => ({ label, confidence, isConfirmed, box });
const concept = (en: string): Concept => ({
  labels: { en, es: en, pt: en, fr: en, ru: '' },
  confidence: 1,
  source: 'objects',
});
const found = (name: string, shows: string[], facts: Partial<Facts>): Found => ({
  photograph: { file: `originals/${name}.jpg`, faces: 1, shows: new Set(shows) },
  facts,
});
const row = (rows: readonly { what: string; value: string; fails: readonly string[] }[], index = 0) => {
  const { value, fails } = rows[index] as (typeof rows)[number];
  return [value, fails];
};

describe('the table of what analyzers find', () => {
  it('counts the right numbers of faces, and names the pictures with others', () => {
    const face = { box, confidence: 1 };
    const all = [found('a', [], { faces: [face] }), found('b', [], { faces: [face, face] })];
    expect(row(measureFaces(all))).toEqual(['1 of 2', ['b']]);
  });

  it('ranks pictures by the confidence of each object that is somewhere, and names confirmed ones that are not there', () => {
    const all = [
      found('a', ['cat'], { objects: [object('cat', 0.6)] }),
      found('b', [], { objects: [object('cat', 0.9)] }),
      found('c', ['dog'], { objects: [object('cat', 0.3, false)] }),
    ];
    // The cat is second: 1/2; the dog is missed: 0.
    expect(row(measureObjects(all))).toEqual(['0.25', ['c']]);
    expect(row(measureObjects(all), 1)).toEqual(['2 of 3', ['b']]);
  });

  it('takes of each picture the first five keywords that are true and have a word in the language', () => {
    const words = ['cat', 'pet', 'sofa', 'house', 'eyes', 'cat'].map(concept);
    const all = [found('a', ['cat', 'pet', 'eyes'], { concepts: words }), found('b', [], { concepts: [] })];
    expect(row(measureKeywords(all), 0)).toEqual(['0.60 in 1 of 2 pictures', ['a']]);
    expect(row(measureKeywords(all), 4)).toEqual(['0.00 in 1 of 2 pictures', ['a']]);
  });

  it.each([
    ['a cat on a sofa', '1 of 1', []],
    ['Two cats', '1 of 1', []],
    ['a cat and two dogs', '0 of 1', ['a']],
    ['a catalog of sorts', '1 of 1', []],
  ])('says whether a caption names only what is there: %s', (en, value, fails) => {
    const all = [found('a', ['cat', 'couch'], { caption: { en } }), found('b', ['dog'], { caption: {} })];
    expect(row(measureCaptions(all))).toEqual([value, fails]);
    expect(row(measureCaptions(all), 1)).toEqual(['1 of 2', ['b']]);
  });

  it('counts false alarms only where a model rates pictures', () => {
    const nsfw = (isNsfw: boolean) => ({ nsfw: { isNsfw, confidence: 1 } });
    expect(row(measureNsfw([found('a', [], nsfw(false)), found('b', [], nsfw(true))]))).toEqual(['1 of 2', ['b']]);
    expect(row(measureNsfw([found('a', [], {})]))).toEqual(['no model', []]);
  });
});
