import { describe, expect, it } from 'vitest';
import { canonical } from './read.ts';

/** The worked examples: as written, as sent in a query string, and in canonical form. */
const examples: readonly (readonly [formula: string, sent: string, canonical: string])[] = [
  ['sunset beach', 'sunset+beach', 'sunset AND beach'],
  ['"golden gate bridge" -fog', '%22golden+gate+bridge%22+-fog', '"golden gate bridge" AND NOT fog'],
  ['(dog | cat) park', '(dog+%7C+cat)+park', '(dog OR cat) AND park'],
  ['keywords:dog,cat', 'keywords:dog,cat', 'keywords:dog,cat'],
  ['keywords:(dog beach -people)', 'keywords:(dog+beach+-people)', 'keywords:(dog AND beach AND NOT people)'],
  [
    'keywords="golden retriever" keywords.count:5..',
    'keywords=%22golden+retriever%22+keywords.count:5..',
    'keywords="golden retriever" AND keywords.count:5..',
  ],
  [
    'city:"San Sebastián","A Coruña" country:es',
    'city:%22San+Sebasti%C3%A1n%22,%22A+Coru%C3%B1a%22+country:es',
    'city:"San Sebastián","A Coruña" AND country:es',
  ],
  ['width:1920.. height:1080..', 'width:1920..+height:1080..', 'width:1920.. AND height:1080..'],
  ['aspect_ratio:16:9 is:landscape', 'aspect_ratio:16:9+is:landscape', 'aspect_ratio:16:9 AND is:landscape'],
  ['date:2023-06..2024-02', 'date:2023-06..2024-02', 'date:2023-06..2024-02'],
  ['date:-30d.. -status:archived', 'date:-30d..+-status:archived', 'date:-30d.. AND NOT status:archived'],
  ['date<2000 no:author', 'date%3C2000+no:author', 'date<2000 AND no:author'],
  ['n_faces:2..5 nsfw:false', 'n_faces:2..5+nsfw:false', 'n_faces:2..5 AND nsfw:false'],
  ['ai_generated:null', 'ai_generated:null', 'ai_generated:null'],
  ['title:sun*', 'title:sun*', 'title:sun*'],
  ['has:caption -alt_text:*', 'has:caption+-alt_text:*', 'has:caption AND NOT alt_text:*'],
  [
    'orientation:portrait,square medium!=illustration',
    'orientation:portrait,square+medium!=illustration',
    'orientation:portrait,square AND medium!=illustration',
  ],
  ['color:navy@30 ocr:"no parking"', 'color:navy@30+ocr:%22no+parking%22', 'color:navy@30 AND ocr:"no parking"'],
  [
    'i~"a red car in the snow" country:es',
    'i~%22a+red+car+in+the+snow%22+country:es',
    'i~"a red car in the snow" AND country:es',
  ],
  ['i~~12345 -i=12345', 'i~~12345+-i=12345', 'i~~12345 AND NOT i=12345'],
  ['i~~~(12345 67890 -"people")', 'i~~~(12345+67890+-%22people%22)', 'i~~~(12345 67890 -"people")'],
  ['i~12345@box:10,20,50,40@0.7', 'i~12345@box:10,20,50,40@0.7', 'i~12345@box:10,20,50,40@0.7'],
  ['i==qh_01hzx3k9q2v7m4n8p5r6s7t8v9', 'i==qh_01hzx3k9q2v7m4n8p5r6s7t8v9', 'i==qh_01hzx3k9q2v7m4n8p5r6s7t8v9'],
  [
    'i====qh_01hzx3k9q2v7m4n8p5r6s7t8v9 provider:acme',
    'i====qh_01hzx3k9q2v7m4n8p5r6s7t8v9+provider:acme',
    'i====qh_01hzx3k9q2v7m4n8p5r6s7t8v9 AND provider:acme',
  ],
  [
    '(i=id:"DSC 01 (2).jpg" | i~~id:"DSC 01 (2).jpg") collections:press',
    '(i=id:%22DSC+01+(2).jpg%22+%7C+i~~id:%22DSC+01+(2).jpg%22)+collections:press',
    '(i=id:"DSC 01 (2).jpg" OR i~~id:"DSC 01 (2).jpg") AND collections:press',
  ],
];

describe('a worked example', () => {
  it.each(examples)('is understood: %s', (formula, sent, text) => {
    expect(new URLSearchParams(`q=${sent}`).get('q')).toBe(formula);
    expect(canonical(formula)).toBe(text);
    expect(canonical(text)).toBe(text);
  });
});

describe('operators', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    ['*', '*'],
    ['a OR b AND c', 'a OR (b AND c)'],
    ['a b | c d', '(a AND b) OR (c AND d)'],
    ['a || b', 'a OR b'],
    ['a && b', 'a AND b'],
    ['a&&b', 'a AND b'],
    ['a & b', 'a AND b'],
    ['R&B', 'R&B'],
    ['a|b', 'a OR b'],
    ['NOT a', 'NOT a'],
    ['NOT (a b)', 'NOT (a AND b)'],
    ['!dog', 'NOT dog'],
    ['-dog -cat', 'NOT dog AND NOT cat'],
    ['-(a | b)', 'NOT (a OR b)'],
    ['wi-fi', 'wi-fi'],
    ['New York - 2020', 'New AND York AND 2020'],
    ['New York – 2020', 'New AND York AND 2020'],
    ['-2020', 'NOT 2020'],
    ['and or not y o', 'and AND or AND not AND y AND o'],
    ['ANDROID NOTE ORANGE', 'ANDROID AND NOTE AND ORANGE'],
    ['i', 'i'],
    ['cotxe i moto', 'cotxe AND i AND moto'],
    ['dog, cat', 'dog AND cat'],
    ['dog , cat', 'dog AND cat'],
    ['dog,cat', 'dog AND cat'],
    ['"a b", c', '"a b" AND c'],
    ['-dog, cat', 'NOT dog AND cat'],
    ['dog(cat)', 'dog AND cat'],
    ['((a))', 'a'],
    ['a (b (c d))', 'a AND b AND c AND d'],
    ['a a b a', 'a AND b'],
    ['a | a', 'a'],
    ['-(-a)', 'a'],
    ['“curly quotes”', '"curly quotes"'],
    ['a\u00a0b', 'a AND b'],
    ['16:9 10:30', '16\\:9 AND 10\\:30'],
    ['a\\:b', 'a\\:b'],
    ['\\"a', '\\"a'],
    ['"say \\"hi\\""', '"say \\"hi\\""'],
    ['\\AND', '\\AND'],
    ['sun*', 'sun*'],
  ])('%j means %j', (formula, text) => {
    expect(canonical(formula)).toBe(text);
  });
});

describe('fields', () => {
  it.each([
    ['COUNTRY:es', 'country:es'],
    ['country: es', 'country:es'],
    ['width:>5', 'width>5'],
    ['width:<=5', 'width<=5'],
    ['width>= 5', 'width>=5'],
    ['width:-5', 'width:-5'],
    ['width:..5', 'width:..5'],
    ['width:*..5', 'width:..5'],
    ['width:5..*', 'width:5..'],
    ['country:es|city:x', 'country:es OR city:x'],
    ['country:es | fr', 'country:es OR fr'],
    ['country:es|(fr)', 'country:es OR fr'],
    ['country:es|-city:x', 'country:es OR NOT city:x'],
    ['country:es,es', 'country:es'],
    ['country:(es)', 'country:es'],
    ['country:(es OR fr)', 'country:es,fr'],
    ['country:(es,fr)', 'country:es,fr'],
    ['keywords:(a,b c)', 'keywords:((a OR b) AND c)'],
    ['keywords:(a (b | -c))', 'keywords:(a AND (b OR NOT c))'],
    ['-keywords:(a b)', 'NOT keywords:(a AND b)'],
    ['keywords:\\-dog', 'keywords:\\-dog'],
    ['keywords:"-dog"', 'keywords:"-dog"'],
    ['keywords:"AND"', 'keywords:"AND"'],
    ['title:"a:b"', 'title:"a:b"'],
    ['keywords:5:30', 'keywords:5:30'],
    ['created_at:2024-05-01T10:30..', 'created_at:2024-05-01T10:30..'],
    ['created_at:2024-05-01T10:30:15.5+02:00', 'created_at:2024-05-01T10:30:15.5+02:00'],
    ['date:+7d', 'date:+7d'],
    ['date:lastweek,TODAY', 'date:lastweek,TODAY'],
    ['color:1E3A5F@12.5', 'color:1E3A5F@12.5'],
    ['nsfw:YES', 'nsfw:YES'],
    ['is:panorama', 'is:panorama'],
    ['text:dog', 'text:dog'],
    ['country:*', 'country:*'],
    ['i~(1 -2)@.5', 'i~(1 -2)@0.5'],
    ['i~url:"https://a.b/c?d=e,f"', 'i~url:"https://a.b/c?d=e,f"'],
    ['i~url:https://a.b/c?d=e', 'i~url:"https://a.b/c?d=e"'],
    ['i~text:dog', 'i~"dog"'],
    ['I~~1', 'i~~1'],
    ['i~1 | i~2', 'i~1 OR i~2'],
    ['i~"originals:p02.jpg"', 'i~id:"originals:p02.jpg"'],
    ['i="p02.jpg"', 'i=p02.jpg'],
    ['i~"sub/p02"', 'i~id:"sub/p02"'],
    ['i~text:"a:b"', 'i~text:"a:b"'],
    ['i~"a red: car"', 'i~"a red: car"'],
    ['i~"sunset"', 'i~"sunset"'],
  ])('%j means %j', (formula, text) => {
    expect(canonical(formula)).toBe(text);
    expect(canonical(text)).toBe(text);
  });
});
