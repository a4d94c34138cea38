import { describe, expect, it } from 'vitest';
import { formulaFields } from '../../../src/catalog/index.ts';
import { findContradictions } from '../../../src/search/explain/contradictions.ts';
import { createDescriber } from '../../../src/search/explain/describe.ts';
import { read } from '../formula/read.ts';

const sentence = (formula: string, locale: 'en' | 'es') => createDescriber('image', locale)(read(formula).condition);

describe('the sentence of a formula', () => {
  it.each([
    ['', 'All of them.', 'Todo.'],
    [
      'sunset beach',
      'Images that have the word “sunset” and have the word “beach”.',
      'Imágenes que tienen la palabra «sunset» y tienen la palabra «beach».',
    ],
    [
      '"golden gate" -fog title:sun*',
      'Images that have the phrase “golden gate”, do not have the word “fog” and have a word that begins with “sun” in the title.',
      'Imágenes que tienen la frase «golden gate», no tienen la palabra «fog» y tienen una palabra que empieza por «sun» en el campo «título».',
    ],
    [
      '(dog | cat) park',
      'Images that either have the word “dog” or have the word “cat” and have the word “park”.',
      'Imágenes que o bien tienen la palabra «dog» o bien tienen la palabra «cat» y tienen la palabra «park».',
    ],
    ['country:es,fr', 'Images that have “es” or “fr” as country.', 'Imágenes que tienen «es» o «fr» como país.'],
    ['no:caption', 'Images that do not have any caption.', 'Imágenes que no tienen valor en el campo «pie de foto».'],
    [
      'width:800..1200 n_faces:2',
      'Images that have a width from 800 to 1200 and have a number of faces of 2.',
      'Imágenes que tienen anchura entre 800 y 1200 y tienen número de rostros igual a 2.',
    ],
    [
      'date:2024-05',
      'Images that have a date from 2024-05-01 to 2024-05-31.',
      'Imágenes que tienen fecha entre el 1 de mayo de 2024 y el 31 de mayo de 2024.',
    ],
    [
      'date:..9999',
      'Images that have a date up to 9999-12-31.',
      'Imágenes que tienen fecha hasta el 31 de diciembre de 9999.',
    ],
    ['date:2024-05-31', 'Images that have a date on 2024-05-31.', 'Imágenes que tienen fecha del 31 de mayo de 2024.'],
    [
      'nsfw:null',
      'Images that have “unknown” for not safe for work.',
      'Imágenes que tienen «desconocido» en el campo «contenido sensible».',
    ],
    [
      'is:landscape',
      'Images that have “landscape” as orientation.',
      'Imágenes que tienen «horizontal» como orientación.',
    ],
    [
      'color:navy@30',
      'Images that have at least 30 % of the color navy.',
      'Imágenes que tienen al menos un 30 % del color azul marino.',
    ],
    [
      '-(dog cat)',
      'Images that are not among those that both have the word “dog” and have the word “cat”.',
      'Imágenes que no están entre las que a la vez tienen la palabra «dog» y tienen la palabra «cat».',
    ],
    [
      'country:invierno,otoño aspect_ratio:>1.5',
      'Images that have “invierno” or “otoño” as country and have an aspect ratio above 1.5.',
      'Imágenes que tienen «invierno» u «otoño» como país y tienen relación de aspecto mayor que 1,5.',
    ],
    ['i~~12345', 'Images that show the same subject as 12345.', undefined],
    ['*', 'Images that have anything at all.', 'Imágenes que tienen cualquier contenido.'],
  ])('%s is plain in both languages', (formula, english, spanish) => {
    expect(sentence(formula, 'en')).toBe(english);
    if (spanish !== undefined) expect(sentence(formula, 'es')).toBe(spanish);
  });

  it.each(formulaFields)('has words for the field $name', ({ label }) => {
    expect(label).toEqual({ en: expect.stringMatching(/./), es: expect.stringMatching(/./) });
  });
});

describe('what can never match', () => {
  it.each([
    ['country:(es fr)', "country has one value: it cannot be 'es' and 'fr' at once"],
    ['country:es,fr city:x country:de', "country has one value: it cannot be 'es' and 'de' at once"],
    ['country:es* country:fr', "country has one value: it cannot be 'es' and 'fr' at once"],
    ['width>100 width<50', 'width has one value, which cannot be in both'],
    ['width<100 width:100', 'width has one value, which cannot be in both'],
    ['date:2023 date:2024', 'date has one value, which cannot be in both'],
    ['nsfw:true -nsfw:true', 'a part and its negation exclude each other'],
    ['is:nsfw nsfw:false', 'nsfw cannot be true and false at once'],
    ['dog -dog', 'a part and its negation exclude each other'],
    ['no:country country:es', 'country is missing, so it has no value'],
    ['no:width width:5..', 'width is missing, so it has no value'],
    ['is:landscape is:portrait', "orientation has one value: it cannot be 'landscape' and 'portrait' at once"],
    ['width:..-1', 'width is never negative'],
    ['dog (country:(es fr) | cat)', "country has one value: it cannot be 'es' and 'fr' at once"],
  ])('%s is described', (formula, message) => {
    expect(findContradictions(read(formula).condition).map((each) => each.message)).toEqual([message]);
  });

  it.each([
    'keywords:(dog cat)',
    'country:(ES es)',
    'country:es,fr country:fr,de',
    'country:es* country:esp*',
    'width:1..5 width:5..9',
    'country:es | country:fr',
    'date:2024 date:2024-05',
    '-country:es -country:fr',
    'nsfw:true,null nsfw:false,null',
    'no:country -country:es',
    'has:nsfw nsfw:true',
    'title:dog title:cat',
  ])('%s could, and nothing is said', (formula) => {
    expect(findContradictions(read(formula).condition)).toEqual([]);
  });

  it('says where', () => {
    expect(findContradictions(read('dog country:es country:fr').condition)).toMatchObject([
      { span: { start: 23, end: 25 } },
    ]);
  });
});

describe('the sentence of a similarity', () => {
  const titles = new Map([['P0001', 'Puente y roble']]);
  it.each([
    [
      'i==P0001',
      'Images that show the same picture as P0001 “Puente y roble”.',
      'Imágenes que muestran la misma imagen que P0001 «Puente y roble».',
    ],
    [
      '-i~~P0002 dog',
      'Images that do not show the same subject as P0002 and have the word “dog”.',
      'Imágenes que no muestran el mismo motivo que P0002 y tienen la palabra «dog».',
    ],
    [
      'i~("red car" -P0001)@0.7',
      'Images that have the same theme as the text “red car”, but not P0001 “Puente y roble” with a similarity of at least 0.7.',
      'Imágenes que tratan el mismo tema que el texto «red car», pero no P0001 «Puente y roble» con una similitud de al menos 0,7.',
    ],
    [
      'i~~~"originals:p02.jpg"',
      'Images that show the same scene as originals:p02.jpg.',
      'Imágenes que muestran la misma escena que originals:p02.jpg.',
    ],
  ])('%s names the picture with its title', (formula, english, spanish) => {
    const { condition } = read(formula);
    expect(createDescriber('image', 'en', titles)(condition)).toBe(english);
    expect(createDescriber('image', 'es', titles)(condition)).toBe(spanish);
  });

  it('names colors in the language of the sentence', () => {
    expect(sentence('color:orange', 'es')).toBe('Imágenes que tienen el color naranja.');
    expect(sentence('color:azul@30', 'en')).toBe('Images that have at least 30 % of the color blue.');
  });
});

describe('what can never match, in Spanish', () => {
  it.each([
    ['country:(es fr)', 'el campo «país» tiene un solo valor: no puede ser «es» y «fr» a la vez'],
    [
      'is:landscape is:portrait',
      'el campo «orientación» tiene un solo valor: no puede ser «horizontal» y «vertical» a la vez',
    ],
    ['is:nsfw nsfw:false', 'el campo «contenido sensible» no puede ser «sí» y «no» a la vez'],
    ['dog -dog', 'una parte y su negación se excluyen mutuamente'],
    ['no:country country:es', 'el campo «país» está vacío, así que no tiene valor'],
  ])('is said of %s', (formula, message) => {
    expect(findContradictions(read(formula).condition, 'es').map((each) => each.message)).toEqual([message]);
  });
});
