import { describe, expect, it } from 'vitest';
import { colorFamilies, colorShades, familyOfShade, findColor } from '../../src/catalog/index.ts';
import { cssColors } from '../../src/analysis/analyzers/css-colors.ts';

describe('the colors of formulas', () => {
  it('know every name that the analysis gives', () => {
    const unknown = cssColors.map(({ name }) => name).filter((name) => findColor(name) === null);
    expect(unknown).toEqual([]);
  });

  it('have every shade in a family, of names of CSS alone', () => {
    const names = new Set([...cssColors.map(({ name }) => name), 'mint']);
    expect(colorShades.filter((shade) => !names.has(shade))).toEqual([]);
    expect([...names].filter((name) => !colorShades.includes(name))).toEqual([]);
  });

  it.each([
    ['orange', 'orange'],
    ['Orange', 'orange'],
    ['naranja', 'orange'],
    ['laranja', 'orange'],
    ['orangé', 'orange'],
    ['оранжевый', 'orange'],
    ['жёлтый', 'yellow'],
    ['marrón', 'brown'],
    ['AZUL', 'blue'],
    ['rouge', 'red'],
    ['grey', 'gray'],
    ['violet', 'violet'],
  ])('take %s for the family of %s', (word, family) => {
    expect(findColor(word)).toEqual(findColor(family));
    expect(colorFamilies).toContain(findColor(word)?.name);
  });

  it('take a shade for itself, and hexadecimal digits for its smallest family', () => {
    expect(findColor('sandybrown')).toEqual({ name: 'sandybrown', shades: ['sandybrown'] });
    expect(findColor('DarkSlateGrey')?.shades).toEqual(['darkslategray']);
    expect(familyOfShade('midnightblue').name).toBe('navy');
    expect(findColor('orange')?.shades).toEqual(expect.arrayContaining(['sandybrown', 'chocolate', 'darkorange']));
    expect(findColor('')).toBeNull();
    expect(findColor('constructor')).toBeNull();
  });
});
